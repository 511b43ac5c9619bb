import { existsSync } from 'node:fs'
import { opendir, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inBatches } from './in-batches.ts'

/** Ids that are converted with one sync. */
const idsAtOnce = 4096
const unlinksAtOnce = 16

/**
 * Marks of older agents, which kept an empty file per id. They are converted while the agent works, a few thousand at a time:
 * an id gets its new mark before its file is deleted, so it is known at every moment. There may be millions.
 */
export class LegacyMarks {
  readonly #folder: string
  readonly #takeOver: (ids: readonly string[]) => Promise<void>
  #isThere: boolean
  #isStopping = false
  #adopting: Promise<void> = Promise.resolve()

  constructor(folder: string, takeOver: (ids: readonly string[]) => Promise<void>) {
    this.#folder = folder
    this.#takeOver = takeOver
    this.#isThere = existsSync(folder)
  }

  has(id: string): boolean {
    return this.#isThere && existsSync(join(this.#folder, id))
  }

  /** Resolves when none is left. After a failure the next agent converts the rest. */
  adopt(): Promise<void> {
    if (this.#isThere) this.#adopting = this.#adopt()
    return this.#adopting
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#adopting.catch(() => undefined)
  }

  /** Reading a folder while deleting from it may miss entries: it is read until nothing is found. */
  async #adopt(): Promise<void> {
    for (let found = true; found && !this.#isStopping; ) {
      found = false
      const folder = await opendir(this.#folder, { bufferSize: idsAtOnce })
      for await (const names of inBatches(folder, idsAtOnce)) {
        found = true
        await this.#adoptPart(names.map(({ name }) => name))
        if (this.#isStopping) return
      }
    }
    if (this.#isStopping) return
    await rmdir(this.#folder)
    this.#isThere = false
  }

  async #adoptPart(ids: readonly string[]): Promise<void> {
    await this.#takeOver(ids)
    for (let at = 0; at < ids.length; at += unlinksAtOnce) {
      await Promise.all(ids.slice(at, at + unlinksAtOnce).map((id) => unlink(join(this.#folder, id))))
    }
  }
}
