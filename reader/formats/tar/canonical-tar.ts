import { Readable } from 'node:stream'
import type { ArchiveEntry } from '../archive.ts'
import { unknownTime } from '../file-time.ts'
import { checksum } from './tar-header.ts'

const BLOCK_BYTES = 512
const NAME_BYTES = 100
const typeFlags = { file: '0', hard_link: '1', symlink: '2', directory: '5' } as const

/**
 * Writes accepted entries as a tar in one dialect (POSIX, with PAX records for long and non-ASCII names): owner and
 * group 0, no names, no attributes. Entries keep their order and are streamed; those without a time get `modifiedAt`.
 */
export async function* canonicalTar(
  entries: AsyncIterable<ArchiveEntry>,
  modifiedAt: number = unknownTime,
): AsyncGenerator<Buffer, void> {
  for await (const entry of entries)
    yield* canonicalEntry({ ...entry, modifiedAt: entry.modifiedAt || modifiedAt })
  yield Buffer.alloc(2 * BLOCK_BYTES)
}

/** One entry of a canonical tar. */
export async function* canonicalEntry(entry: ArchiveEntry): AsyncGenerator<Buffer, void> {
  yield tarHeaders(entry)
  if (entry.body === undefined) return
  let byteSize = 0
  for await (const bytes of entry.body) {
    byteSize += bytes.length
    yield bytes
  }
  if (byteSize !== entry.byteSize) throw new Error('the body of an entry does not have its declared size')
  yield padding(byteSize)
}

/** An entry whose bytes are opened only when it is written, so that a writer that stops earlier leaves nothing open. */
export function storedFile(path: string, byteSize: number, open: () => Promise<Readable>): ArchiveEntry {
  async function* body() {
    yield* (await open()) as AsyncIterable<Buffer>
  }
  return { path, kind: 'file', mode: 0o644, byteSize, body: body() }
}

/** An entry with text of the platform. */
export function textFile(path: string, text: string | Buffer): ArchiveEntry {
  const bytes = Buffer.from(text)
  const body = Readable.from([bytes]) as AsyncIterable<Buffer>
  return { path, kind: 'file', mode: 0o644, byteSize: bytes.length, body }
}

function tarHeaders(entry: ArchiveEntry): Buffer {
  const path = entry.kind === 'directory' ? `${entry.path}/` : entry.path
  const records: string[] = []
  if (!fitsHeader(path)) records.push(paxRecord('path', path))
  if (!fitsHeader(entry.linkTarget ?? '')) records.push(paxRecord('linkpath', entry.linkTarget ?? ''))
  const own = header({
    name: fitsHeader(path) ? path : 'long-name',
    linkName: fitsHeader(entry.linkTarget ?? '') ? (entry.linkTarget ?? '') : 'long-name',
    type: typeFlags[entry.kind],
    mode: entry.mode,
    byteSize: entry.kind === 'file' ? entry.byteSize : 0,
    modifiedAt: entry.modifiedAt ?? unknownTime,
  })
  if (records.length === 0) return own
  const body = Buffer.from(records.join(''))
  const pax = header({
    name: 'pax-records',
    linkName: '',
    type: 'x',
    mode: 0o644,
    byteSize: body.length,
    modifiedAt: unknownTime,
  })
  return Buffer.concat([pax, body, padding(body.length), own])
}

const fitsHeader = (text: string): boolean => text.length <= NAME_BYTES && /^[ -~]*$/.test(text)

/** `length key=value\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const restBytes = Buffer.byteLength(rest)
  let length = restBytes + String(restBytes).length
  if (String(length).length > String(restBytes).length) length += 1
  return `${length}${rest}`
}

interface HeaderFields {
  name: string
  linkName: string
  type: string
  mode: number
  byteSize: number
  modifiedAt: number
}

function header({ name, linkName, type, mode, byteSize, modifiedAt }: HeaderFields): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  block.write(name, 0, 'latin1')
  block.write(octal(mode, 7), 100, 'latin1')
  block.write(octal(0, 7), 108, 'latin1')
  block.write(octal(0, 7), 116, 'latin1')
  block.write(octal(byteSize, 11), 124, 'latin1')
  block.write(octal(modifiedAt, 11), 136, 'latin1')
  block.write(type, 156, 'latin1')
  block.write(linkName, 157, 'latin1')
  block.write('ustar\u000000', 257, 'latin1')
  block.write(`${octal(checksum(block), 6)}\0 `, 148, 'latin1')
  return block
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

const padding = (byteSize: number): Buffer =>
  Buffer.alloc((BLOCK_BYTES - (byteSize % BLOCK_BYTES)) % BLOCK_BYTES)
