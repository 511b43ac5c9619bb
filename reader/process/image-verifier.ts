import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import type { ReaderProcess } from './reader-process.ts'

/** A reader process that waits for the bytes of an image, and the promise of its result. */
export interface ImageReading<Facts> {
  reader: ReaderProcess
  facts: Promise<Facts>
}

/**
 * Passes an image on unchanged while a reader process reads the same bytes, and fails at the latest at the end if
 * the image is refused. Use it inside `pipeline`, before a store that discards a stream that fails. The digest is
 * computed here, over the bytes that passed, so that a hostile image cannot influence it.
 */
export class ImageVerifier<Facts extends object> extends Transform {
  readonly #reader: ReaderProcess
  readonly #facts: Promise<Facts>
  readonly #hash = createHash('sha256')
  #report: (Facts & { digest: string }) | undefined

  constructor({ reader, facts }: ImageReading<Facts>) {
    super()
    this.#reader = reader
    this.#facts = facts
    facts.catch((error: Error) => this.destroy(error))
  }

  /** `digest` is `sha256:` over the tar: for an uncompressed layer also its diff id. */
  get report(): Facts & { digest: string } {
    if (!this.#report) throw new Error('the image has not been read to its end')
    return this.#report
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#hash.update(chunk)
    this.#reader.write(chunk).then(
      () => callback(null, chunk),
      (error: Error) => callback(error),
    )
  }

  override _flush(callback: TransformCallback): void {
    this.#reader.input.end()
    this.#facts.then(
      (facts) => {
        this.#report = { ...facts, digest: `sha256:${this.#hash.digest('hex')}` }
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
