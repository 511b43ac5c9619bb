import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { dayMs, systemClock } from '../base/clock.ts'

/** Writable for the group of the root too, because a process of another user may write in it. */
export const folderMode = 0o770

/** Parts of a machine of another name that nobody has written for so long are abandoned: its process cannot be looked up. */
const foreignAgeMs = dayMs

/**
 * Incomplete objects: one folder for each writing process, which distinguishes files of a killed process from files that are
 * being written. A process is identified by its pid, its start time and its machine.
 */
export class Incoming {
  readonly #root: string
  readonly #own: string

  constructor(root: string) {
    this.#root = root
    this.#own = join(root, `${process.pid}.${startOf(process.pid)}.${hostname()}`)
  }

  /** A unique path for a new part. */
  async newPart(): Promise<string> {
    const [path = ''] = await this.newParts(1)
    return path
  }

  /** That many unique paths. */
  async newParts(count: number): Promise<string[]> {
    await mkdir(this.#own, { recursive: true, mode: folderMode })
    return Array.from({ length: count }, () => join(this.#own, randomUUID()))
  }

  /**
   * Removes parts of ended processes of this machine, and old ones of other machines, such as this one before its name
   * changed. Returns the number of processes.
   */
  async removeAbandoned(): Promise<number> {
    let removed = 0
    for (const writer of await readdir(this.#root).catch(() => [])) {
      const [pid, start, ...machine] = writer.split('.')
      const folder = join(this.#root, writer)
      const isAbandoned =
        machine.join('.') === hostname() ? startOf(Number(pid)) !== start : await isOld(folder)
      if (!isAbandoned) continue
      await rm(folder, { recursive: true, force: true })
      removed += 1
    }
    return removed
  }
}

async function isOld(folder: string): Promise<boolean> {
  const parts = await readdir(folder).catch(() => [])
  const paths = [folder, ...parts.map((part) => join(folder, part))]
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)))
  const before = systemClock.now().getTime() - foreignAgeMs
  return found.every((entry) => !entry || entry.mtimeMs < before)
}

/** Start time of a process in clock ticks since boot; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, field 2, may contain spaces and brackets; the start time is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
