import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'

/** Passes everything on, and knows its sha256 and length at the end. */
export class DigestedStream extends Transform {
  readonly #hash = createHash('sha256')
  #sha256: string | undefined
  byteSize = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    this.byteSize += chunk.length
    done(null, chunk)
  }

  /** 64 hex digits; ask once everything has passed. */
  get sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex')
    return this.#sha256
  }
}
