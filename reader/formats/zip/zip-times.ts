import { fileTime, fileTimeOf, unknownTime } from '../file-time.ts'

/* When an entry of a zip was changed: by Unix archivers in an extra field, and always as a local time of DOS. */

const TIMESTAMP_EXTRA = 0x5455
const hasModified = 1

/** The time in the extra field for it, in UTC. The fields have passed `checkExtraFields`. */
export function unixTimeIn(extra: Buffer): number | undefined {
  for (let at = 0; at < extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2)
    const field = extra.subarray(at + 4, end)
    if (extra.readUInt16LE(at) === TIMESTAMP_EXTRA && field.length >= 5 && field.readUInt8(0) & hasModified)
      return fileTime(field.readInt32LE(1))
    at = end
  }
  return undefined
}

/** Date in the upper half, from 1980 on, two seconds exact. It has no zone: read as UTC, which is the zone of sandboxes. */
export function dosTimeOf(value: number): number {
  const date = value >>> 16
  const day = date & 0x1f
  const month = (date >>> 5) & 0xf
  if (day === 0 || month === 0) return unknownTime
  const year = 1980 + (date >>> 9)
  return fileTimeOf(
    new Date(Date.UTC(year, month - 1, day, (value >>> 11) & 0x1f, (value >>> 5) & 0x3f, 2 * (value & 0x1f))),
  )
}
