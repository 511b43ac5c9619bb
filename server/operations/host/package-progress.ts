/** How far apt and dpkg are. The totals grow when apt has resolved the next group of packages. */
export interface PackageProgress {
  downloadedBytes: number
  totalBytes: number
  installedPackages: number
  totalPackages: number
}

const units: Record<string, number> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }
const size = String.raw`([\d,.]+) ([kMG]?B)`
const counted = /^\d+ upgraded, (\d+) newly installed,/
const needed = new RegExp(`^Need to get (?:${size}/)?${size} of archives`)
const fetched = new RegExp(String.raw`^Get:\d+ .*\[${size}\]$`)
const installed = /^Setting up \S/

/** Counts packages in the output of apt-get and dpkg, line by line. */
export class PackageCounter {
  state: PackageProgress = { downloadedBytes: 0, totalBytes: 0, installedPackages: 0, totalPackages: 0 }
  #isPackages = false

  /** Whether the line changed the state. */
  read(line: string): boolean {
    const before = this.state
    this.state = { ...before, ...this.#changes(line) }
    return JSON.stringify(this.state) !== JSON.stringify(before)
  }

  #changes(line: string): Partial<PackageProgress> {
    const { downloadedBytes, totalBytes, installedPackages, totalPackages } = this.state
    const [, packages] = counted.exec(line) ?? []
    if (packages !== undefined) return { totalPackages: totalPackages + Number(packages) }
    const need = needed.exec(line)
    if (need) {
      // The lists of packages are fetched before; they are not part of this total.
      this.#isPackages = true
      return { totalBytes: totalBytes + bytesOf(need[1] ?? need[3], need[2] ?? need[4]) }
    }
    const got = this.#isPackages ? fetched.exec(line) : null
    if (got) {
      const bytes = downloadedBytes + bytesOf(got[1], got[2])
      // Each size is rounded.
      return { downloadedBytes: Math.min(bytes, totalBytes) }
    }
    if (installed.test(line)) return { installedPackages: installedPackages + 1 }
    return {}
  }
}

const bytesOf = (amount = '', unit = '') =>
  Math.round(Number(amount.replaceAll(',', '')) * (units[unit] ?? 0))
