import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { ArchiveRefused } from './archive-refused.ts'
import type { ByteReader } from './byte-reader.ts'

const CHUNK_BYTES = 64 * 1024

/**
 * Inflates one raw deflate stream of at most `maxInputBytes` and leaves `input` right behind its last byte:
 * what zlib was given but did not use is put back, so nothing can hide behind a stream's end.
 * Throws `archive_truncated` or `archive_corrupt`; failures of the input itself pass through.
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
  // The feed runs ahead of zlib; its last pull has to settle before the input's position means anything.
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

function asRefusal(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!code.startsWith('Z_')) return error
  return new ArchiveRefused(code === 'Z_BUF_ERROR' ? 'archive_truncated' : 'archive_corrupt')
}
