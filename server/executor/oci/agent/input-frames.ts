import type { Writable } from 'node:stream'

const frameBytes = 1 << 16

/**
 * Lets a shim start its program for so long, and sends `source` to it in frames (native/input.c reads them): length, then
 * the bytes; an empty frame says that the input is complete. When `source` fails there is no such frame, and the shim ends the sandbox. When the shim
 * goes first, its record tells why; the rest of `source` is read all the same, so that its sender is not left
 * waiting.
 */
export async function sendInput(
  source: AsyncIterable<Buffer>,
  shim: Writable,
  timeoutMs: number,
): Promise<void> {
  shim.write(wordOf(timeoutMs))
  try {
    for await (const chunk of source) {
      for (let from = 0; from < chunk.length && !shim.destroyed; from += frameBytes) {
        await sendFrame(chunk.subarray(from, from + frameBytes), shim)
      }
    }
  } catch {
    shim.end()
    return
  }
  if (!shim.destroyed) shim.end(lengthOf(0))
}

async function sendFrame(bytes: Buffer, shim: Writable): Promise<void> {
  shim.cork()
  shim.write(lengthOf(bytes.length))
  const flows = shim.write(bytes)
  shim.uncork()
  if (!flows) await drained(shim)
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

function wordOf(timeoutMs: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(timeoutMs))
  return bytes
}

function lengthOf(count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}
