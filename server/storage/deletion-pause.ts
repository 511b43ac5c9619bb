import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { hasCode } from '../base/errors/has-code.ts'
import { folderMode } from './incoming.ts'

/** The process with a hold touches its file more often than this; an older file is residue of a process that died. */
const freshMs = 60_000

/**
 * While a backup copies objects, deletions only move objects aside: rows that the backup has already read may name
 * them.
 *
 *   ROOT/hold    touched while the hold is active
 *   ROOT/held/   deleted objects by their keys
 */
export class DeletionPause {
  readonly file: string
  readonly held: string

  constructor(root: string) {
    this.file = join(root, 'hold')
    this.held = join(root, 'held')
  }

  /** Deletes the object at `path`, or moves it aside while there is a hold. */
  async delete(path: string, key: string): Promise<void> {
    if (!(await this.#stands())) return rm(path, { force: true })
    const aside = join(this.held, key)
    try {
      await mkdir(dirname(aside), { recursive: true, mode: folderMode })
      await rename(path, aside)
    } catch (error) {
      // There is no object, or the hold has ended and its folder is gone: to a folder that goes meanwhile, mkdir says ENOTDIR.
      if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error
      await rm(path, { force: true })
    }
  }

  /** Removes the residue of a backup that died. */
  async removeAbandoned(): Promise<void> {
    if (!(await this.#stands())) await rm(this.held, { recursive: true, force: true })
  }

  async #stands(): Promise<boolean> {
    const found = await stat(this.file).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
    })
    if (!found) return false
    if (systemClock.now().getTime() - found.mtimeMs < freshMs) return true
    await rm(this.held, { recursive: true, force: true })
    await rm(this.file, { force: true })
    return false
  }
}
