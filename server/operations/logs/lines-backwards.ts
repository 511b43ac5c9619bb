import { type FileHandle, open } from 'node:fs/promises'
import { hasCode } from '../../base/errors/has-code.ts'

const blockBytes = 256 * 1024
/** A longer line is left out: no log line of the service is as long. */
const lineMaxBytes = 1024 * 1024
const lineEnd = 0x0a

/** A log file that is open. It stays the same file when it is rotated. */
export interface OpenLog {
  file: FileHandle
  inode: number
  byteSize: number
}

/** Undefined if there is no such file, as between the steps of a rotation. The caller closes it. */
export async function openLog(path: string): Promise<OpenLog | undefined> {
  try {
    const file = await open(path, 'r')
    const { ino: inode, size: byteSize } = await file.stat().catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    return { file, inode, byteSize }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * The lines of a file that contain a text, the last one before the byte `until` first, and closes it. The memory that it takes does
 * not depend on the size of the file; others use the event loop between its blocks.
 */
export async function* linesBackwards(
  { file, byteSize }: OpenLog,
  text: string,
  until = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  try {
    let end = Math.min(byteSize, until)
    // Bytes after the block that is read: the rest of a line that begins before them.
    let rest = Buffer.alloc(0)
    while (end > 0) {
      const begin = Math.max(0, end - blockBytes)
      const block = Buffer.alloc(end - begin)
      const { bytesRead } = await file.read(block, 0, block.length, begin)
      const bytes = Buffer.concat([block.subarray(0, bytesRead), rest])
      const firstEnd = begin === 0 ? -1 : bytes.indexOf(lineEnd)
      const isCut = begin > 0 && firstEnd < 0
      const whole = isCut ? bytes.subarray(bytes.length) : bytes.subarray(firstEnd + 1)
      if (whole.includes(text)) yield* linesWith(whole.toString('utf8'), text)
      rest = isCut ? bytes : bytes.subarray(0, firstEnd + 1)
      if (rest.length > lineMaxBytes) rest = Buffer.alloc(0)
      end = begin
    }
  } finally {
    await file.close()
  }
}

const linesWith = (lines: string, text: string): string[] =>
  lines
    .split('\n')
    .filter((line) => line.includes(text))
    .toReversed()
