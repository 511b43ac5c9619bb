import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const blockBytes = 256 * 1024
/** A longer line is left out: no log line of the service is as long. */
const lineMaxBytes = 1024 * 1024
const lineEnd = 0x0a

/**
 * The lines of a file that contain a text, the last one before the byte `until` first. The memory that it takes does not depend on the
 * size of the file.
 */
export function* linesBackwards(
  path: string,
  text: string,
  until = Number.POSITIVE_INFINITY,
): Generator<string> {
  const file = openSync(path, 'r')
  try {
    let end = Math.min(fstatSync(file).size, until)
    // Bytes after the block that is read: the rest of a line that begins before them.
    let rest = Buffer.alloc(0)
    while (end > 0) {
      const begin = Math.max(0, end - blockBytes)
      const block = Buffer.alloc(end - begin)
      const read = readSync(file, block, 0, block.length, begin)
      const bytes = Buffer.concat([block.subarray(0, read), rest])
      const firstEnd = begin === 0 ? -1 : bytes.indexOf(lineEnd)
      const isCut = begin > 0 && firstEnd < 0
      const whole = isCut ? bytes.subarray(bytes.length) : bytes.subarray(firstEnd + 1)
      if (whole.includes(text)) yield* linesWith(whole.toString('utf8'), text)
      rest = isCut ? bytes : bytes.subarray(0, firstEnd + 1)
      if (rest.length > lineMaxBytes) rest = Buffer.alloc(0)
      end = begin
    }
  } finally {
    closeSync(file)
  }
}

const linesWith = (lines: string, text: string): string[] =>
  lines
    .split('\n')
    .filter((line) => line.includes(text))
    .toReversed()
