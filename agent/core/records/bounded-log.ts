import { createReadStream, watch } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { SandboxExit } from '../../port/sandbox-exit.ts'
import type { LogPart } from '../../port/sandboxes.ts'

const ringStart = 8

/**
 * The log of a sandbox as readable text: the head, a line with the number of bytes left out, the newest tail.
 * `limit` is the log's bound in bytes; native/shim/log/log.c writes the files.
 */
export function readLog(folder: string, limit: number): Readable {
  return Readable.from(parts(folder, limit), { objectMode: false })
}

async function* parts(folder: string, limit: number): AsyncGenerator<Buffer> {
  const head = join(folder, 'log.head')
  const tail = join(folder, 'log.tail')
  const { headBytes, written } = await countsOf(folder)
  yield* bytesOf(head, 0, headBytes)
  const ringBytes = ringBytesOf(limit)
  if (written <= ringBytes) {
    yield* bytesOf(tail, ringStart, written)
    return
  }
  const start = written % ringBytes
  yield Buffer.from(`\n[... ${written - ringBytes} bytes of the log are left out here ...]\n`)
  yield* bytesOf(tail, ringStart + start, ringBytes - start)
  yield* bytesOf(tail, ringStart, start)
}

/** Size of a log, computed from its files. */
export async function measureLog(folder: string, limit: number): Promise<SandboxExit['log']> {
  const { headBytes, written } = await countsOf(folder)
  return {
    totalBytes: headBytes + written,
    keptBytes: headBytes + Math.min(written, ringBytesOf(limit)),
  }
}

const ringBytesOf = (limit: number): number => limit - Math.floor(limit / 2)

/** Bytes in the head, and bytes that were ever written to the ring. */
async function countsOf(folder: string): Promise<{ headBytes: number; written: number }> {
  const headBytes = await stat(join(folder, 'log.head')).then(
    (found) => found.size,
    () => 0,
  )
  return { headBytes, written: await ringCount(join(folder, 'log.tail')) }
}

const partBytesMax = 256 * 1024

/** The newest bytes from `position` on, as soon as there are some, or none after `waitMs`. */
export async function awaitLogSince(
  folder: string,
  { limit, position, waitMs }: { limit: number; position: number; waitMs: number },
): Promise<LogPart> {
  let part = await readLogSince(folder, limit, position)
  if (part.bytes.length > 0 || waitMs === 0) return part
  const late = AbortSignal.timeout(waitMs)
  let changed = Promise.withResolvers<void>()
  late.addEventListener('abort', () => changed.resolve())
  // Only the agent and the shim write there. The read after this finds what was written before the watch started.
  const watcher = watch(folder, { signal: late }, () => changed.resolve())
  watcher.on('error', () => changed.resolve())
  try {
    do {
      part = await readLogSince(folder, limit, position)
      if (part.bytes.length > 0) return part
      await changed.promise
      changed = Promise.withResolvers()
    } while (!late.aborted)
    return part
  } finally {
    watcher.close()
  }
}

/** The newest bytes from `position` on, as far as they are kept. */
async function readLogSince(folder: string, limit: number, position: number): Promise<LogPart> {
  const head = join(folder, 'log.head')
  const tail = join(folder, 'log.tail')
  const ringBytes = ringBytesOf(limit)
  const { headBytes, written } = await countsOf(folder)
  const total = headBytes + written
  const kept = written > ringBytes ? total - ringBytes : 0
  const start = Math.min(Math.max(position, total - partBytesMax, kept), total)
  const parts: Buffer[] = []
  const take = async (path: string, from: number, count: number) => {
    for await (const bytes of bytesOf(path, from, count)) parts.push(bytes)
  }
  if (start < headBytes) await take(head, start, headBytes - start)
  for (let at = Math.max(start - headBytes, 0); at < written; ) {
    const offset = at % ringBytes
    const count = Math.min(written - at, ringBytes - offset)
    await take(tail, ringStart + offset, count)
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
