import { isUtf8 } from 'node:buffer'
import { ArchiveRefused } from '../archive-refused.ts'
import { fileTime } from '../file-time.ts'
import { DumpDirectory } from './dump-directory.ts'

export interface PaxRecords {
  path?: Buffer
  linkPath?: Buffer
  byteSize?: number
  /** `../file-time.ts`. */
  modifiedAt?: number
  attributeNames: string[]
}

/** Records without influence on unpacking. Vendor records have flags, inode numbers and the like. */
const ignored = /^(?:[ac]time|[ug]id|[ug]name|comment|(?:LIBARCHIVE|RHT|SCHILY)\.[ -~]+)$/
const attributePrefix = 'SCHILY.xattr.'

/**
 * Parses the records of a PAX header (POSIX pax, `length key=value\n`) strictly. Records for sparse files
 * and unknown records are refused: a parser that knows them would unpack something else.
 */
export function parsePaxRecords(body: Buffer): PaxRecords {
  const records: PaxRecords = { attributeNames: [] }
  const seen = new Set<string>()
  let at = 0
  while (at < body.length) {
    const { key, value, end } = parseRecord(body, at)
    if (seen.has(key)) throw new ArchiveRefused('pax_record')
    seen.add(key)
    apply(records, key, value)
    at = end
  }
  return records
}

function parseRecord(body: Buffer, at: number): { key: string; value: Buffer; end: number } {
  const space = body.indexOf(0x20, at)
  const digits = space === -1 ? '' : body.toString('latin1', at, Math.min(space, at + 8))
  if (!/^[1-9][0-9]{0,6}$/.test(digits)) throw new ArchiveRefused('pax_record')
  const end = at + Number(digits)
  const equals = body.indexOf(0x3d, space)
  if (
    end > body.length ||
    body[end - 1] !== 0x0a ||
    equals === -1 ||
    equals >= end - 1 ||
    equals === space + 1
  ) {
    throw new ArchiveRefused('pax_record')
  }
  const key = body.subarray(space + 1, equals)
  if (!isUtf8(key)) throw new ArchiveRefused('pax_record')
  return { key: key.toString('utf8'), value: body.subarray(equals + 1, end - 1), end }
}

function apply(records: PaxRecords, key: string, value: Buffer): void {
  if (key === 'path') records.path = value
  else if (key === 'linkpath') records.linkPath = value
  else if (key === 'size') records.byteSize = decimal(value)
  // A decimal fraction of seconds; anything else is unknown, since times change nothing in what is unpacked.
  else if (key === 'mtime') records.modifiedAt = fileTime(Number(value.toString('latin1')))
  else if (key.startsWith('GNU.sparse.') || key === 'SCHILY.realsize')
    throw new ArchiveRefused('sparse_entry')
  else if (key.startsWith(attributePrefix)) records.attributeNames.push(key.slice(attributePrefix.length))
  else if (key === 'GNU.dumpdir') checkDumpDirectory(value)
  else if (!ignored.test(key)) throw new ArchiveRefused('pax_record')
}

function checkDumpDirectory(value: Buffer): void {
  const list = new DumpDirectory()
  list.add(value)
  list.end()
}

function decimal(value: Buffer): number {
  const digits = value.toString('latin1')
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(digits)) throw new ArchiveRefused('pax_record')
  return Number(digits)
}
