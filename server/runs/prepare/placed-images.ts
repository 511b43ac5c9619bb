import type { ImagePort } from '../../../agent/port/images.ts'
import { installLayers } from '../../images/install-layers.ts'
import type { AttestedImage, StoredImages } from '../../images/stored-images.ts'

/** Source of the images of environment versions and of their signed statements. */
export type ImageSource = Pick<StoredImages, 'attested' | 'open'>

/** Remembers which images the executor has, so that each is requested and installed once. */
export class PlacedImages {
  readonly #executor: ImagePort
  readonly #source: ImageSource
  readonly #placed = new Map<string, Promise<void>>()

  constructor(executor: ImagePort, source: ImageSource) {
    this.#executor = executor
    this.#source = source
  }

  /** The image that may run as a version. Throws `ImageUntrusted`. */
  attested(version: Parameters<ImageSource['attested']>[0]): Promise<AttestedImage> {
    return this.#source.attested(version)
  }

  /** Resolves when the executor can start the image. */
  async ensure(image: AttestedImage): Promise<void> {
    const { installedDigest } = image
    const known = this.#placed.get(installedDigest)
    if (known) return known
    const placing = this.#place(image)
    this.#placed.set(installedDigest, placing)
    try {
      await placing
    } catch (error) {
      this.forget(image)
      throw error
    }
  }

  /** The executor may have lost it. */
  forget(image: AttestedImage): void {
    this.#placed.delete(image.installedDigest)
  }

  async #place(image: AttestedImage): Promise<void> {
    await installLayers(this.#executor, image.layers, (layer) => this.#source.open(image, layer))
  }
}
