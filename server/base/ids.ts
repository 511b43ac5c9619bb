import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'
import { type IdKind, idKinds } from '@sandbox-jobs/contract/ids.ts'

/** Kind prefix, `_`, and a UUIDv7 as 32 hex digits: 36 characters, ordered by creation time. */
export function newId(kind: IdKind, atMs = Date.now()): string {
  const bytes = randomOfId()
  bytes.writeUIntBE(atMs, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `${idKinds[kind]}_${bytes.toString('hex')}`
}

/** Milliseconds since 1970 at which an id was made. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(-32, -20), 16)

const idBytes = 16
/** Random bytes for the next ids, fetched in batches: fetching costs more than the rest of an id. */
const stock = Buffer.alloc(idBytes * 256)
let used = stock.length

function randomOfId(): Buffer {
  if (used === stock.length) {
    randomFillSync(stock)
    used = 0
  }
  used += idBytes
  return stock.subarray(used - idBytes, used)
}

/** Names one request in its response and in the log lines about it: 32 hex digits, no secret. */
export const newRequestId = (): string => randomOfId().toString('hex')

/** Names a span of a trace: 16 hex digits, no secret. */
export const newSpanId = (): string => randomOfId().toString('hex', 0, 8)

/** An unguessable token of 256 bits, 43 characters of base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** A random UUID (version 4). */
export const newUuid = (): string => randomUUID()
