import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/**
 * Calls `onLine` for every line of another process's output. An output that breaks off ends without an error: the
 * exit status of its process is what counts, and an error without a listener would end this process.
 */
export function eachLine(input: Readable, onLine: (line: string) => void): void {
  createInterface({ input })
    .on('line', onLine)
    .on('error', () => input.destroy())
}
