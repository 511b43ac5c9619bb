import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readFile, readlink, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pattern } from './canary.ts'

const blockBytesMax = 4 * 1024 * 1024
const blockBytesMin = 64 * 1024

/** proc, sysfs, control groups of version 1 and 2, namespaces: what they have is generated on read, or cannot be read. */
const kernelFileSystems = new Set([0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x6e736673])

/** Searches names, links and bytes for patterns. An unchanged file without a match is not read again. */
export class Search {
  /** `<code> at <path>` for unreadable files of the kernel. */
  readonly unread = new Set<string>()
  readonly #patterns: readonly Pattern[]
  readonly #overlap: number
  readonly #clean = new Map<string, string>()

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns
    this.#overlap = Math.max(...patterns.map(({ bytes }) => bytes.length)) - 1
  }

  /** `<form> in <path>` for each form that is in `bytes`. */
  in(place: string, bytes: Buffer): string[] {
    return this.#formsIn(bytes).map((form) => `${form} in ${place}`)
  }

  /**
   * Searches everything below `path` without following links; only regular files that changed at `sinceMs` or later. An
   * unreadable regular file is reported like a match, since its content is unknown.
   */
  below(path: string, sinceMs = 0): Promise<string[]> {
    return this.#below(path, sinceMs)
  }

  /** The same in a folder that others use too: what is mounted in it is theirs. */
  async belowShared(path: string, sinceMs: number): Promise<string[]> {
    const device = await deviceOf(path)
    return device === undefined ? [] : this.#below(path, sinceMs, device)
  }

  /**
   * Searches directories of `device` only; without it, those of any file system that is mounted below except the kernel's, whose
   * processes `processes` searches.
   */
  async #below(path: string, sinceMs: number, device?: bigint, parent?: bigint): Promise<string[]> {
    const own = await deviceOf(path)
    if (device !== undefined && own !== device) return []
    if (parent !== undefined && own !== parent && (await isOfKernel(path))) return []
    const found: string[] = []
    for (const entry of await entriesOf(path)) {
      const child = join(path, entry.name)
      found.push(...this.in(`the name ${child}`, Buffer.from(entry.name)))
      if (entry.isDirectory()) found.push(...(await this.#below(child, sinceMs, device, own)))
      else if (entry.isFile()) found.push(...(await this.file(child, sinceMs)))
      else if (entry.isSymbolicLink()) {
        found.push(...this.in(`the link ${child}`, Buffer.from((await unlessGone(readlink(child))) ?? '')))
      }
    }
    return found
  }

  /** Searches command line and environment of every process but `except`. */
  async processes(except: ReadonlySet<number>): Promise<string[]> {
    const others = (await processIds()).filter((pid) => !except.has(pid))
    return (await Promise.all(others.map((pid) => this.process(pid)))).flat()
  }

  async process(pid: number): Promise<string[]> {
    const found: string[] = []
    for (const name of ['cmdline', 'environ']) {
      const bytes = await unlessGone(readFile(`/proc/${pid}/${name}`))
      found.push(...this.in(`${name} of process ${pid}`, bytes ?? Buffer.alloc(0)))
    }
    return found
  }

  /** Searches one file that changed at `sinceMs` or later; anything else has nothing. */
  async file(path: string, sinceMs = 0): Promise<string[]> {
    const stat = await unlessGone(lstat(path, { bigint: true }))
    if (!stat?.isFile() || Number(stat.ctimeMs) < sinceMs) return []
    const identity = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join()
    if (this.#clean.get(path) === identity) return []
    try {
      const forms = await unlessGone(this.#formsOf(path, Number(stat.size)))
      if (forms?.size === 0) this.#clean.set(path, identity)
      return [...(forms ?? [])].map((form) => `${form} in ${path}`)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!(await isOfKernel(path))) return [`${code} instead of what is in ${path}`]
      this.unread.add(`${code} at ${path}`)
      return []
    }
  }

  async #formsOf(path: string, size: number): Promise<Set<string>> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return await this.#formsRead(file, Math.min(Math.max(size, blockBytesMin), blockBytesMax))
    } finally {
      await file.close()
    }
  }

  async #formsRead(file: FileHandle, blockBytes: number): Promise<Set<string>> {
    const forms = new Set<string>()
    const block = Buffer.allocUnsafe(blockBytes)
    for (let held = 0; ; ) {
      const { bytesRead } = await file.read(block, held, blockBytes - held)
      if (bytesRead === 0) return forms
      const bytes = block.subarray(0, held + bytesRead)
      for (const form of this.#formsIn(bytes)) forms.add(form)
      held = Math.min(this.#overlap, bytes.length)
      block.copyWithin(0, bytes.length - held, bytes.length)
    }
  }

  #formsIn(bytes: Buffer): string[] {
    return this.#patterns.filter((pattern) => bytes.includes(pattern.bytes)).map(({ form }) => form)
  }
}

export async function processIds(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
}

/** True for what is gone, too. */
async function isOfKernel(path: string): Promise<boolean> {
  const system = await unlessGone(statfs(path))
  return system === undefined || kernelFileSystems.has(system.type)
}

const deviceOf = async (path: string): Promise<bigint | undefined> =>
  (await unlessGone(lstat(path, { bigint: true })))?.dev

async function entriesOf(path: string) {
  return (await unlessGone(readdir(path, { withFileTypes: true }))) ?? []
}

/** Files and processes may disappear during the search. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ESRCH', 'ENOTDIR', 'ELOOP'].includes(code)) return undefined
    throw error
  }
}
