import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'

/** Passes data through and computes its sha256 and length. */
export class DigestedStream extends Transform {
  readonly #hash = createHash('sha256')
  #sha256: string | undefined
  byteSize = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    this.byteSize += chunk.length
    done(null, chunk)
  }

  /** 64 hex digits. Read it only after the stream has ended. */
  get sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex')
    return this.#sha256
  }
}
