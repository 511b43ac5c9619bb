import { closeSync, createReadStream, openSync, readSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { LogPart } from '../../port/results.ts'
import type { SandboxExit } from '../../port/sandbox-exit.ts'
import { smallBytes } from './small-file.ts'

const ringStart = 8

/**
 * The log of a sandbox as readable text: the head, a line with the number of bytes left out, the newest tail. A short log is read at
 * once. `limit` is the log's bound in bytes; native/shim/log/log.c writes the files.
 */
export function readLog(folder: string, limit: number): Buffer | Readable {
  const { headBytes, written } = countsOf(folder)
  if (headBytes + written > smallBytes || written > ringBytesOf(limit))
    return Readable.from(parts(folder, limit), { objectMode: false })
  const head = readAt(join(folder, 'log.head'), 0, headBytes)
  return Buffer.concat([head, readAt(join(folder, 'log.tail'), ringStart, written)])
}

async function* parts(folder: string, limit: number): AsyncGenerator<Buffer> {
  const head = join(folder, 'log.head')
  const tail = join(folder, 'log.tail')
  const { headBytes, written } = countsOf(folder)
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
export function measureLog(folder: string, limit: number): SandboxExit['log'] {
  const { headBytes, written } = countsOf(folder)
  return {
    totalBytes: headBytes + written,
    keptBytes: headBytes + Math.min(written, ringBytesOf(limit)),
  }
}

const ringBytesOf = (limit: number): number => limit - Math.floor(limit / 2)

/** Bytes in the head, and bytes that were ever written to the ring. The shim makes each file with its first byte. */
function countsOf(folder: string): { headBytes: number; written: number } {
  const head = statSync(join(folder, 'log.head'), { throwIfNoEntry: false })
  return { headBytes: head?.size ?? 0, written: ringCount(join(folder, 'log.tail')) }
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
  const { headBytes, written } = countsOf(folder)
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
  if (count > smallBytes) {
    yield* createReadStream(path, { start: from, end: from + count - 1 }) as AsyncIterable<Buffer>
  } else {
    yield readAt(path, from, count)
  }
}

function ringCount(path: string): number {
  if (!statSync(path, { throwIfNoEntry: false })) return 0
  const bytes = readAt(path, 0, ringStart)
  return bytes.length === ringStart ? Number(bytes.readBigUInt64LE()) : 0
}

function readAt(path: string, from: number, count: number): Buffer {
  const bytes = Buffer.alloc(count)
  if (count === 0) return bytes
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, count, from))
  } finally {
    closeSync(file)
  }
}
