import type { Writable } from 'node:stream'

const frameBytes = 1 << 16
/** Less than what a unix socket holds: what is sent at once up to here is all in the shim's hands or none of it is. */
const atOnceBytes = 1 << 17

/** What the shim has to know before the program may start. */
interface Word {
  timeoutMs: number
  /** What the log is not to show. */
  masked: readonly Buffer[]
  /** Called before the word may reach the shim. */
  onGiven: () => void
}

/**
 * Lets a shim start its program, and sends `source` to it in frames (native/input.c reads them): length, then
 * the bytes; an empty frame says that the input is complete. The word waits for an input of usual size and goes with it
 * in one write: whenever the agent dies, or whoever sends the input, the program has started with all of it or not at
 * all. When `source` fails there is no empty frame, and the shim ends the sandbox. When the shim goes first, its record
 * tells why; the rest of `source` is read all the same, so that its sender is not left waiting.
 */
export async function sendInput(source: AsyncIterable<Buffer>, shim: Writable, word: Word): Promise<void> {
  const held = [bytesOf(word)]
  let heldBytes = 0
  try {
    for await (const chunk of source) {
      for (const frame of framesOf(chunk)) {
        held.push(frame)
        heldBytes += frame.length
        if (heldBytes > atOnceBytes) await send(held.splice(0), shim, word)
      }
    }
  } catch {
    shim.end()
    return
  }
  if (shim.destroyed) return
  word.onGiven()
  shim.end(Buffer.concat([...held, lengthOf(0)]))
}

function* framesOf(chunk: Buffer): Generator<Buffer> {
  for (let from = 0; from < chunk.length; from += frameBytes) {
    const bytes = chunk.subarray(from, from + frameBytes)
    yield lengthOf(bytes.length)
    yield bytes
  }
}

async function send(parts: readonly Buffer[], shim: Writable, { onGiven }: Word): Promise<void> {
  if (shim.destroyed) return
  onGiven()
  shim.cork()
  for (const part of parts) shim.write(part)
  shim.uncork()
  if (shim.writableNeedDrain) await drained(shim)
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

function bytesOf({ timeoutMs, masked }: Word): Buffer {
  const head = Buffer.alloc(12)
  head.writeBigUInt64LE(BigInt(timeoutMs))
  head.writeUInt32LE(masked.length, 8)
  return Buffer.concat([head, ...masked.flatMap((value) => [lengthOf(value.length), value])])
}

function lengthOf(count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}
