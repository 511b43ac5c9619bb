import type { FileHandle } from 'node:fs/promises'

/** The content of a file from `start` on, at most `maxBytes`. */
export async function firstBytes(file: FileHandle, maxBytes: number, start = 0): Promise<Buffer> {
  const { size } = await file.stat()
  const bytes = Buffer.allocUnsafe(Math.min(Math.max(size - start, 0), maxBytes))
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
