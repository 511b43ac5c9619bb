import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ArchiveSource } from './archive.ts'

/**
 * Hashes an archive while it is read from the first byte to the last, so that it is not read twice. If the reader
 * uses ranges, as for a zip, or stops early, `digest` reads the archive once more.
 */
export class HashedSource implements ArchiveSource {
  readonly byteSize: number
  readonly #source: ArchiveSource
  #digest: string | undefined

  constructor(source: ArchiveSource) {
    this.#source = source
    this.byteSize = source.byteSize
  }

  async open(range?: { start: number; end: number }): Promise<Readable> {
    const stored = await this.#source.open(range)
    const isWhole = range === undefined || (range.start === 0 && range.end === this.byteSize - 1)
    return isWhole && this.#digest === undefined ? Readable.from(this.#hashed(stored)) : stored
  }

  /** The digest of all stored bytes, `sha256:` and hex. */
  async digest(): Promise<string> {
    if (this.#digest === undefined) for await (const _ of this.#hashed(await this.#source.open()));
    return this.#digest ?? ''
  }

  async *#hashed(stored: Readable): AsyncGenerator<Buffer, void> {
    const hash = createHash('sha256')
    for await (const chunk of stored) {
      hash.update(chunk as Buffer)
      yield chunk as Buffer
    }
    this.#digest = `sha256:${hash.digest('hex')}`
  }
}
