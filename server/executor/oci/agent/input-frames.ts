import { once } from 'node:events'
import type { Writable } from 'node:stream'

const frameBytes = 1 << 16

/**
 * Sends `source` to a shim in frames: length in 4 bytes little endian, then the bytes; an empty frame says that
 * the input is complete. When `source` fails there is no such frame, and the shim ends the sandbox. A shim that
 * has gone is no error here: its record tells why.
 */
export async function sendInput(source: AsyncIterable<Buffer>, shim: Writable): Promise<void> {
  try {
    for await (const chunk of source) {
      for (let from = 0; from < chunk.length; from += frameBytes) {
        const part = chunk.subarray(from, from + frameBytes)
        shim.cork()
        shim.write(lengthOf(part.length))
        const flowing = shim.write(part)
        shim.uncork()
        if (!flowing && !shim.destroyed) await Promise.race([once(shim, 'drain'), once(shim, 'close')])
      }
      // The rest is still read, so that its sender is not left waiting.
    }
    shim.write(lengthOf(0))
  } catch {
    shim.destroy()
    return
  }
  shim.end()
}

function lengthOf(count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}
