import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { LogPart } from '../../port.ts'

const ringStart = 8

/**
 * The log of a sandbox as text a person reads: the head, a line that tells how much is missing, the newest tail.
 * `limit` is the log's bound in bytes; native/log.c writes the files.
 */
export function readLog(folder: string, limit: number): Readable {
  return Readable.from(parts(folder, limit), { objectMode: false })
}

async function* parts(folder: string, limit: number): AsyncGenerator<Buffer> {
  const head = join(folder, 'log.head')
  const tail = join(folder, 'log.tail')
  const headBytes = await stat(head).then(
    (found) => found.size,
    () => 0,
  )
  if (headBytes === 0) return
  yield* bytesOf(head, 0, headBytes)
  const written = await ringCount(tail)
  if (written === 0) return
  const ringBytes = limit - Math.floor(limit / 2)
  if (written <= ringBytes) {
    yield* bytesOf(tail, ringStart, written)
    return
  }
  const start = written % ringBytes
  yield Buffer.from(`\n[... ${written - ringBytes} bytes of the log are left out here ...]\n`)
  yield* bytesOf(tail, ringStart + start, ringBytes - start)
  yield* bytesOf(tail, ringStart, start)
}

const partBytesMax = 256 * 1024

/** The newest bytes from `position` on, as far as they are kept. */
export async function readLogSince(folder: string, limit: number, position: number): Promise<LogPart> {
  const head = join(folder, 'log.head')
  const tail = join(folder, 'log.tail')
  const ringBytes = limit - Math.floor(limit / 2)
  const headBytes = await stat(head).then(
    (found) => found.size,
    () => 0,
  )
  const written = await ringCount(tail)
  const total = headBytes + written
  const kept = written > ringBytes ? total - ringBytes : 0
  const start = Math.min(Math.max(position, total - partBytesMax, kept), total)
  const parts: Buffer[] = []
  const take = async (path: string, from: number, count: number) => {
    for await (const bytes of bytesOf(path, from, count)) parts.push(bytes)
  }
  if (start < headBytes) await take(head, start, headBytes - start)
  for (let at = Math.max(start - headBytes, 0); at < written; ) {
    const place = at % ringBytes
    const count = Math.min(written - at, ringBytes - place)
    await take(tail, ringStart + place, count)
    at += count
  }
  return { start, bytes: Buffer.concat(parts) }
}

async function* bytesOf(path: string, from: number, count: number): AsyncGenerator<Buffer> {
  if (count === 0) return
  yield* createReadStream(path, { start: from, end: from + count - 1 }) as AsyncIterable<Buffer>
}

async function ringCount(path: string): Promise<number> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return 0
  try {
    const bytes = Buffer.alloc(ringStart)
    const { bytesRead } = await file.read(bytes, 0, ringStart, 0)
    return bytesRead === ringStart ? Number(bytes.readBigUInt64LE()) : 0
  } finally {
    await file.close()
  }
}
