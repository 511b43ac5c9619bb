import { existsSync } from 'node:fs'
import { opendir, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inParts } from './in-parts.ts'

/** Ids that are taken over with one sync. */
const idsAtOnce = 4096
const removedAtOnce = 16

/**
 * The marks of agents that kept an empty file for each id. They are taken over while the agent works, a few thousand at a
 * time: an id has its new mark before its file goes, so it is known at any moment. There may be millions.
 */
export class FormerMarks {
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

  /** Resolves when none is left. What is left after a failure is taken over by the next agent. */
  adopt(): Promise<void> {
    if (this.#isThere) this.#adopting = this.#adopt()
    return this.#adopting
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#adopting.catch(() => undefined)
  }

  /** A folder that is read while it is emptied may hold some back: it is read until nothing is found. */
  async #adopt(): Promise<void> {
    for (let found = true; found && !this.#isStopping; ) {
      found = false
      const folder = await opendir(this.#folder, { bufferSize: idsAtOnce })
      for await (const names of inParts(folder, idsAtOnce)) {
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
    for (let at = 0; at < ids.length; at += removedAtOnce) {
      await Promise.all(ids.slice(at, at + removedAtOnce).map((id) => unlink(join(this.#folder, id))))
    }
  }
}
