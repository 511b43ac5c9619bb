import type { Readable } from 'node:stream'
import type { Executor } from '../executor/port.ts'

/** Where the flat layers of environment versions come from. */
export interface ImageSource {
  /** The uncompressed tar whose sha256 is `layerDigest`; throws `ObjectMissing`. */
  open(layerDigest: string): Promise<Readable>
}

/** Remembers which images the executor has, so that a run's start asks for them once and places each once. */
export class PlacedImages {
  readonly #executor: Executor
  readonly #source: ImageSource
  readonly #placed = new Map<string, Promise<void>>()

  constructor(executor: Executor, source: ImageSource) {
    this.#executor = executor
    this.#source = source
  }

  /** Resolves once the executor can start that image. */
  async ensure(layerDigest: string): Promise<void> {
    const known = this.#placed.get(layerDigest)
    if (known) return known
    const placing = this.#place(layerDigest)
    this.#placed.set(layerDigest, placing)
    try {
      await placing
    } catch (error) {
      this.forget(layerDigest)
      throw error
    }
  }

  /** The executor may have lost it. */
  forget(layerDigest: string): void {
    this.#placed.delete(layerDigest)
  }

  async #place(layerDigest: string): Promise<void> {
    if (await this.#executor.hasImage(layerDigest)) return
    await this.#executor.installImage(layerDigest, await this.#source.open(layerDigest))
  }
}
