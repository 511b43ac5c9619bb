import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** The group too: that of the root, in which a process of another user may write. */
export const folderMode = 0o770

/**
 * Where objects are before they are whole: a folder for each process that writes, so that the parts of one that was
 * killed can be told from those that are being written. A process is known by its number, its start and its machine.
 */
export class Incoming {
  readonly #root: string
  readonly #own: string

  constructor(root: string) {
    this.#root = root
    this.#own = join(root, `${process.pid}.${startOf(process.pid)}.${hostname()}`)
  }

  /** A path that nobody else uses. */
  async newPart(): Promise<string> {
    const [path = ''] = await this.newParts(1)
    return path
  }

  /** So many of them. */
  async newParts(count: number): Promise<string[]> {
    await mkdir(this.#own, { recursive: true, mode: folderMode })
    return Array.from({ length: count }, () => join(this.#own, randomUUID()))
  }

  /** Removes what processes of this machine left that have ended. */
  async removeAbandoned(): Promise<void> {
    for (const writer of await readdir(this.#root).catch(() => [])) {
      const [pid, start, ...machine] = writer.split('.')
      if (machine.join('.') !== hostname() || startOf(Number(pid)) === start) continue
      await rm(join(this.#root, writer), { recursive: true, force: true })
    }
  }
}

/** Clock ticks since the machine's start at which a process began; undefined when there is none of that number. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, second field, may hold spaces and brackets; the start is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
