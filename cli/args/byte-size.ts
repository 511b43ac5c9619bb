import { parseByteSize } from '@sandbox-jobs/contract/byte-size.ts'
import { InvalidArgumentError } from 'commander'

/** Parses an option that is a size of at least 1 and at most `max` units: `5g`, `512m`, or a number of units of `unitBytes`. */
export const sizeUpTo =
  (max: number, unitBytes = 1) =>
  (text: string): number => {
    const size = (parseByteSize(text, unitBytes) ?? Number.NaN) / unitBytes
    if (Number.isInteger(size) && size >= 1 && size <= max) return size
    throw new InvalidArgumentError('It must be a size such as 512m or 5g, within what is permitted.')
  }
