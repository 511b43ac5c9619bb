import type { Writable } from 'node:stream'

const frameBytes = 1 << 16
/** Less than the buffer of a unix socket: one write of up to this size reaches the shim completely or not at all. */
const atOnceBytes = 1 << 17

/** Values that the shim needs before it starts the program. */
interface StartSignal {
  timeoutMs: number
  /** Values that the log must not show. */
  masked: readonly Buffer[]
  /** Called before the start signal may reach the shim. */
  onRelease: () => void
}

/**
 * Sends the start signal to a shim, and `source` in frames (native/shim/input.c reads them): length, then the bytes; an empty
 * frame ends the input. The start signal waits for an input of usual size and is sent with it in one write: if the agent or
 * the sender of the input dies, the program has started with the whole input or not at all. If `source` fails, no empty
 * frame is sent, and the shim ends the sandbox. If the shim ends first, its record has the cause; the rest of `source` is
 * still read, so that its sender does not block.
 */
export async function sendInput(
  source: AsyncIterable<Buffer>,
  shim: Writable,
  signal: StartSignal,
): Promise<void> {
  const held = [bytesOf(signal)]
  let heldBytes = 0
  try {
    for await (const chunk of source) {
      for (const frame of framesOf(chunk)) {
        held.push(frame)
        heldBytes += frame.length
        if (heldBytes > atOnceBytes) await send(held.splice(0), shim, signal)
      }
    }
  } catch {
    shim.end()
    return
  }
  if (shim.destroyed) return
  signal.onRelease()
  shim.end(Buffer.concat([...held, lengthOf(0)]))
}

function* framesOf(chunk: Buffer): Generator<Buffer> {
  for (let from = 0; from < chunk.length; from += frameBytes) {
    const bytes = chunk.subarray(from, from + frameBytes)
    yield lengthOf(bytes.length)
    yield bytes
  }
}

async function send(parts: readonly Buffer[], shim: Writable, { onRelease }: StartSignal): Promise<void> {
  if (shim.destroyed) return
  onRelease()
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

function bytesOf({ timeoutMs, masked }: StartSignal): Buffer {
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
