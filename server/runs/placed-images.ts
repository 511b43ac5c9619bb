import type { AttestedImage, StoredImages } from '../builds/stored-images.ts'
import type { Executor } from '../executor/port.ts'

/** Where the images of environment versions come from, and what proves them. */
export type ImageSource = Pick<StoredImages, 'attested' | 'open'>

/** Remembers which images the executor has, so that a run's start asks for them once and places each once. */
export class PlacedImages {
  readonly #executor: Executor
  readonly #source: ImageSource
  readonly #placed = new Map<string, Promise<void>>()

  constructor(executor: Executor, source: ImageSource) {
    this.#executor = executor
    this.#source = source
  }

  /** What may run as a version. Throws `ImageUntrusted`. */
  attested(version: Parameters<ImageSource['attested']>[0]): Promise<AttestedImage> {
    return this.#source.attested(version)
  }

  /** Resolves once the executor can start that image. */
  async ensure(image: AttestedImage): Promise<void> {
    const { diffId } = image.layer
    const known = this.#placed.get(diffId)
    if (known) return known
    const placing = this.#place(image)
    this.#placed.set(diffId, placing)
    try {
      await placing
    } catch (error) {
      this.forget(image)
      throw error
    }
  }

  /** The executor may have lost it. */
  forget(image: AttestedImage): void {
    this.#placed.delete(image.layer.diffId)
  }

  async #place(image: AttestedImage): Promise<void> {
    const { diffId } = image.layer
    if (await this.#executor.hasImage(diffId)) return
    await this.#executor.installImage(diffId, await this.#source.open(image))
  }
}
