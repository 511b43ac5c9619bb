import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import type { FlatImageCounts } from '../archive/flat-image.ts'
import type { ArchiveReaders } from './archive-readers.ts'
import type { ReaderProcess } from './reader-process.ts'

/**
 * Passes a flat image on unchanged while a reader process reads the same bytes, and fails at the latest at their end when
 * the image is refused. Use it inside `pipeline`, before a store that keeps nothing of a stream that fails. The digest is
 * made here, over what passed: it is not a hostile image's to influence.
 */
export class ImageProof extends Transform {
  readonly #reader: ReaderProcess
  readonly #counts: Promise<FlatImageCounts>
  readonly #hash = createHash('sha256')
  #report: (FlatImageCounts & { digest: string }) | undefined

  constructor(readers: ArchiveReaders) {
    super()
    const { reader, counts } = readers.readImage()
    this.#reader = reader
    this.#counts = counts
    counts.catch((error: Error) => this.destroy(error))
  }

  /** `digest` is `sha256:` over the tar: for an uncompressed layer also its diff id. */
  get report(): FlatImageCounts & { digest: string } {
    if (!this.#report) throw new Error('the image has not been read to its end')
    return this.#report
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#hash.update(chunk)
    this.#reader.give(chunk).then(
      () => callback(null, chunk),
      (error: Error) => callback(error),
    )
  }

  override _flush(callback: TransformCallback): void {
    this.#reader.input.end()
    this.#counts.then(
      (counts) => {
        this.#report = { digest: `sha256:${this.#hash.digest('hex')}`, ...counts }
        callback()
      },
      (error: Error) => callback(error),
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#reader.kill()
    callback(error)
  }
}
