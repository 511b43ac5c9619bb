import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/**
 * Calls `onLine` for every line of another process's output. An output that breaks off just ends, because how its process
 * ended is what counts; an error that nobody listens for would end this process instead.
 */
export function eachLine(input: Readable, onLine: (line: string) => void): void {
  createInterface({ input })
    .on('line', onLine)
    .on('error', () => input.destroy())
}
