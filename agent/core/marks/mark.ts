import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Why an id may not start: its sandbox was removed, or it was forbidden before it started. */
export type MarkKind = 'forbidden' | 'removed'

/** The low bits of a mark's last word. At least one is set, so a last word of zero means an empty slot. */
const kindBits: Record<MarkKind, number> = { forbidden: 1, removed: 2 }
export const kindMask = 3

export const wordsPerMark = 4
const markBytes = 16
/** A mark and its checksum. */
export const recordBytes = 20
export const wordsPerRecord = 5

/** 126 bits of the id's SHA-256, without a kind; collisions are infeasible. */
export function hashOf(id: string): Uint32Array {
  const digest = createHash('sha256').update(id).digest()
  const words = new Uint32Array(wordsPerMark)
  for (let at = 0; at < wordsPerMark; at += 1) words[at] = digest.readUInt32LE(at * 4)
  words[3] = (words[3] ?? 0) & ~kindMask
  return words
}

/** The record of a mark: four words, and the CRC-32 of their bytes. */
export function recordOf(id: string, kind: MarkKind): Buffer {
  const words = hashOf(id)
  const record = Buffer.alloc(recordBytes)
  for (const [at, word] of words.entries()) record.writeUInt32LE(word, at * 4)
  record.writeUInt32LE(((words[3] ?? 0) | kindBits[kind]) >>> 0, 12)
  record.writeUInt32LE(crc32(record.subarray(0, markBytes)), markBytes)
  return record
}

/** True if the record that starts at `at` is complete. */
export const isWhole = (records: Buffer, at: number): boolean =>
  records.readUInt32LE(at + markBytes) === crc32(records.subarray(at, at + markBytes))

/** `removed` wins over `forbidden`, because an id with both was used. */
export function kindOf(bits: number): MarkKind | undefined {
  if (bits & kindBits.removed) return 'removed'
  return bits & kindBits.forbidden ? 'forbidden' : undefined
}
