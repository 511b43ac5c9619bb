import { Readable } from 'node:stream'
import type { ArchiveSource } from '../formats/archive.ts'
import { ByteReader } from '../formats/byte-reader.ts'
import type { ByteRange } from './reader-messages.ts'

/**
 * An archive in another process: ranges are requested one at a time, and arrive completely and back to back through one
 * pipe.
 */
export class RangeInput {
  readonly #pipe: ByteReader
  readonly #ask: (range: ByteRange) => void
  /** Bytes of the last range that are still in the pipe. */
  #left = 0
  #pull: Promise<unknown> = Promise.resolve()

  constructor(pipe: AsyncIterable<Buffer>, request: (range: ByteRange) => void) {
    this.#pipe = new ByteReader(pipe)
    this.#ask = request
  }

  source(byteSize: number): ArchiveSource {
    return {
      byteSize,
      open: ({ start, end } = { start: 0, end: byteSize - 1 }) => Readable.from(this.#range({ start, end })),
    }
  }

  /** The rest of the pipe, without requests. */
  async *rest(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const bytes = await this.#pipe.chunk(Number.POSITIVE_INFINITY)
      if (bytes === undefined) return
      yield bytes
    }
  }

  /** Discards the rest of the last range, so that the next one starts at its first byte. */
  async drain(): Promise<void> {
    await this.#pull
    while (this.#left > 0) await this.#next()
  }

  async *#range(range: ByteRange): AsyncGenerator<Buffer, void> {
    await this.drain()
    if (range.end < range.start) return
    this.#left = range.end - range.start + 1
    this.#ask(range)
    while (this.#left > 0) {
      const pull = this.#next()
      this.#pull = pull
      yield await pull
    }
  }

  async #next(): Promise<Buffer> {
    const bytes = await this.#pipe.chunk(this.#left)
    if (bytes === undefined) throw new Error('the archive ended before its size')
    this.#left -= bytes.length
    return bytes
  }
}
