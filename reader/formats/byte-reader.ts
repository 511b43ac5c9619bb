import { ArchiveRefused, type SizeBound } from './archive-refused.ts'

const nothing = Buffer.alloc(0)

/** Reads a stream of chunks by the byte. Holds at most one chunk and the bytes that were put back. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = nothing
  #offset = 0

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Bytes read so far. */
  get offset(): number {
    return this.#offset
  }

  /** Up to `maxBytes` available bytes, at least one; undefined at the end. */
  async chunk(maxBytes: number): Promise<Buffer | undefined> {
    while (this.#held.length === 0) {
      const next = await this.#source.next()
      if (next.done) return undefined
      this.#held = next.value
    }
    return this.#take(Math.min(maxBytes, this.#held.length))
  }

  /** Exactly `byteSize` bytes in one buffer; keep it small. Throws `archive_truncated`. */
  async exactly(byteSize: number): Promise<Buffer> {
    if (this.#held.length >= byteSize) return this.#take(byteSize)
    const parts: Buffer[] = []
    for await (const part of this.stream(byteSize)) parts.push(part)
    return Buffer.concat(parts, byteSize)
  }

  /** The next `byteSize` bytes as chunks. Throws `archive_truncated`. */
  async *stream(byteSize: number): AsyncGenerator<Buffer, void> {
    let left = byteSize
    while (left > 0) {
      const part = await this.chunk(left)
      if (part === undefined) throw new ArchiveRefused('archive_truncated')
      left -= part.length
      yield part
    }
  }

  /** Puts back bytes that were read last. */
  putBack(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([bytes, this.#held])
    this.#offset -= bytes.length
  }

  /** Closes the source before its end. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  #take(byteSize: number): Buffer {
    const taken = this.#held.subarray(0, byteSize)
    this.#held = this.#held.subarray(byteSize)
    this.#offset += taken.length
    return taken
  }
}

/** Passes chunks on, and throws when there are too many bytes. */
export async function* bounded(chunks: AsyncIterable<Buffer>, { maxBytes, slug }: SizeBound) {
  let byteSize = 0
  for await (const bytes of chunks) {
    byteSize += bytes.length
    if (byteSize > maxBytes) throw new ArchiveRefused(slug)
    yield bytes
  }
}
