/*
 * Segments of the write-ahead log. A name has 24 hex digits: the timeline, and the number of the segment in two parts, as Postgres has it.
 * Names of one cluster are in the order in which they were written.
 */

/** Bytes of a segment. The embedded cluster is made with this size, the default of Postgres. */
export const segmentBytes = 16 * 2 ** 20

const segmentsPerPart = 2n ** 32n / BigInt(segmentBytes)
const namePattern = /^[0-9A-F]{24}$/

export const isSegmentName = (name: string): boolean => namePattern.test(name)

/** A place in the log. */
export interface LogPosition {
  /** Segment that has the next byte. */
  segment: string
  /** Bytes before it in the segment. */
  offset: number
}

/** @param lsn as Postgres prints it: two hex numbers with a slash between them */
export function positionOf(lsn: string, timeline: number): LogPosition {
  const [high = '', low = ''] = lsn.split('/')
  const at = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
  return {
    segment: nameOf(BigInt(timeline), at / BigInt(segmentBytes)),
    offset: Number(at % BigInt(segmentBytes)),
  }
}

/** The segment after this one on its timeline. */
export function segmentAfter(name: string): string {
  const [timeline, high, low] = [0, 8, 16].map((at) => BigInt(`0x${name.slice(at, at + 8)}`))
  return nameOf(timeline ?? 0n, (high ?? 0n) * segmentsPerPart + (low ?? 0n) + 1n)
}

/** The first segment from `start` on that is not among the names. */
export function firstMissing(start: string, names: Iterable<string>): string {
  const there = new Set(names)
  let name = start
  while (there.has(name)) name = segmentAfter(name)
  return name
}

const nameOf = (timeline: bigint, number: bigint): string =>
  [timeline, number / segmentsPerPart, number % segmentsPerPart]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
