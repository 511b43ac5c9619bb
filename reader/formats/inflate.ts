import { Readable } from 'node:stream'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { ArchiveRefused } from './archive-refused.ts'
import type { ByteReader } from './byte-reader.ts'

const CHUNK_BYTES = 64 * 1024

/**
 * Inflates one raw deflate stream of at most `maxInputBytes` and leaves `input` right after its last byte:
 * bytes that zlib did not use are put back, so nothing can hide after the end of a stream.
 * Throws `archive_truncated` or `archive_corrupt`; errors of the input pass through.
 */
export async function* inflate(input: ByteReader, maxInputBytes: number): AsyncGenerator<Buffer, void> {
  const start = input.offset
  let recent: { end: number; bytes: Buffer }[] = []
  let isOver = false
  const engine = createInflateRaw({ chunkSize: CHUNK_BYTES })

  const pull = async (): Promise<Buffer | undefined> => {
    const allowed = Math.min(CHUNK_BYTES, maxInputBytes - (input.offset - start))
    const bytes = isOver || allowed === 0 ? undefined : await input.chunk(allowed)
    if (bytes)
      recent = [
        ...recent.filter(({ end }) => end > engine.bytesWritten),
        { end: input.offset - start, bytes },
      ]
    return bytes
  }
  // The feed runs ahead of zlib. Its last pull has to settle before the input's position is valid.
  let lastPull: Promise<unknown> = Promise.resolve()
  async function* feed() {
    for (;;) {
      const pulled = pull()
      lastPull = pulled
      const bytes = await pulled
      if (bytes === undefined) return
      yield bytes
    }
  }
  const source = Readable.from(feed())
  source.on('error', (error) => engine.destroy(error))
  try {
    for await (const bytes of source.pipe(engine)) yield bytes as Buffer
  } catch (error) {
    throw asRefusal(error)
  } finally {
    isOver = true
    source.destroy()
    engine.destroy()
    await lastPull.catch(() => undefined)
  }
  const fed = Buffer.concat(recent.map(({ bytes }) => bytes))
  const unusedBytes = input.offset - start - engine.bytesWritten
  input.putBack(fed.subarray(fed.length - unusedBytes))
}

/**
 * The same for a stream that is completely in memory, ten times as fast for small files. The stream has to use all of
 * `input`, and give at most `maxBytes`; otherwise throws `header_disagrees`.
 */
export function inflateWhole(input: Buffer, maxBytes: number): Buffer {
  // With `info` Node also returns the engine, which its types omit.
  type WithEngine = { buffer: Buffer; engine: { bytesWritten: number } }
  try {
    const options = { info: true, maxOutputLength: Math.max(1, maxBytes) }
    const { buffer, engine } = inflateRawSync(input, options) as unknown as WithEngine
    if (engine.bytesWritten !== input.length) throw new ArchiveRefused('header_disagrees')
    return buffer
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLong ? new ArchiveRefused('header_disagrees') : asRefusal(error)
  }
}

function asRefusal(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!code.startsWith('Z_')) return error
  return new ArchiveRefused(code === 'Z_BUF_ERROR' ? 'archive_truncated' : 'archive_corrupt')
}
