import type { Writable } from 'node:stream'
import { pieceBytesMax } from './mask-pieces.ts'

const frameBytes = 1 << 16
/** Less than what a unix socket holds: what is sent at once up to here is all in the shim's hands or none of it is. */
const atOnceBytes = 1 << 17
/** How long a word waits for the end of its input: one of usual size is on its way as a whole. */
const togetherMs = 50

/** What the shim has to know before the program may start. */
interface Word {
  timeoutMs: number
  /** What the log is not to show. */
  maskPieces: readonly Buffer[]
}

/**
 * Lets a shim start its program, and sends `source` to it in frames (native/input.c reads them): length, then
 * the bytes; an empty frame says that the input is complete. The word and an input of usual size go in one write, so
 * that an agent which dies has started a program of usual size with all of its input, or not at all. When `source` fails
 * there is no empty frame, and the shim ends the sandbox. When the shim goes first, its record tells why; the rest of
 * `source` is read all the same, so that its sender is not left waiting.
 */
export async function sendInput(source: AsyncIterable<Buffer>, shim: Writable, word: Word): Promise<void> {
  shim.cork()
  const apart = setTimeout(() => shim.uncork(), togetherMs)
  shim.write(bytesOf(word))
  try {
    for await (const chunk of source) {
      for (let from = 0; from < chunk.length && !shim.destroyed; from += frameBytes) {
        await sendFrame(chunk.subarray(from, from + frameBytes), shim)
      }
    }
  } catch {
    shim.end()
    return
  } finally {
    clearTimeout(apart)
  }
  if (!shim.destroyed) shim.end(lengthOf(0))
}

async function sendFrame(bytes: Buffer, shim: Writable): Promise<void> {
  shim.cork()
  shim.write(lengthOf(bytes.length))
  const flows = shim.write(bytes)
  shim.uncork()
  if (flows || shim.writableLength <= atOnceBytes) return
  // Once more, for the word that waits.
  shim.uncork()
  await drained(shim)
}

function drained(shim: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      shim.off('drain', done)
      shim.off('close', done)
      resolve()
    }
    shim.on('drain', done)
    shim.on('close', done)
  })
}

function bytesOf({ timeoutMs, maskPieces }: Word): Buffer {
  const head = 12
  const pieceRoom = 1 + pieceBytesMax
  const bytes = Buffer.alloc(head + maskPieces.length * pieceRoom)
  bytes.writeBigUInt64LE(BigInt(timeoutMs))
  bytes.writeUInt32LE(maskPieces.length, 8)
  for (const [at, piece] of maskPieces.entries()) {
    const start = head + at * pieceRoom
    bytes.writeUInt8(piece.length, start)
    piece.copy(bytes, start + 1)
  }
  return bytes
}

function lengthOf(count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}
