import { ArchiveRefused, onEntry } from '../archive-refused.ts'
import type { ByteReader } from '../byte-reader.ts'
import { EntryBody, emptyBody, type RawEntry } from '../raw-entry.ts'
import { DumpDirectory } from './dump-directory.ts'
import { type PaxRecords, parsePaxRecords } from './pax-records.ts'
import { parseTarHeader, sparse, type TarHeader, type TarVariants } from './tar-header.ts'

const BLOCK_BYTES = 512
const MAX_EXTENSION_BYTES = 64 * 1024

/** Headers that describe the entry after them. */
interface Extensions {
  pax?: PaxRecords
  gnuName?: Buffer
  gnuLinkName?: Buffer
}

const kinds: Partial<Record<string, RawEntry['kind']>> = {
  '0': 'file',
  '1': 'hard_link',
  '2': 'symlink',
  '3': 'device',
  '4': 'device',
  '5': 'directory',
  '6': 'device',
  D: 'directory',
}

/** A folder of GNU's incremental archives: its content lists the names in it. */
const dumpDirectory = 'D'

/**
 * Reads a tar in the POSIX, PAX or GNU dialect, or in `variants`, to its end: two zero blocks, then only zeros. Refuses
 * every ambiguous field. The consumer may leave an entry's body unread.
 */
export async function* readTar(
  input: ByteReader,
  variants: TarVariants = 'plain',
): AsyncGenerator<RawEntry, void> {
  let extensions: Extensions = {}
  let isFirst = true
  for (;;) {
    const block = await input.exactly(BLOCK_BYTES)
    if (isZero(block)) {
      if (Object.keys(extensions).length > 0) throw new ArchiveRefused('header_disagrees')
      return expectEnd(input)
    }
    const header = parseTarHeader(block, variants)
    if (header.type === dumpDirectory && variants === 'plain') throw new ArchiveRefused('unknown_entry_type')
    if ('xgLK'.includes(header.type)) {
      if (header.type === 'g' && !isFirst) throw new ArchiveRefused('pax_record')
      const extension = await readExtension(input, header)
      for (const name of Object.keys(extension)) {
        if (name in extensions) throw new ArchiveRefused('header_disagrees')
      }
      extensions = { ...extensions, ...extension }
    } else {
      const body = new EntryBody(input.stream(header.byteSize))
      yield toEntry(header, extensions, body)
      if (header.type === dumpDirectory) await checkDumpDirectory(body)
      else await body.drain()
      await skipPadding(input, header.byteSize)
      extensions = {}
    }
    isFirst = false
  }
}

async function readExtension(input: ByteReader, header: TarHeader): Promise<Extensions> {
  if (header.byteSize > MAX_EXTENSION_BYTES) throw new ArchiveRefused('path_too_long')
  const body = await input.exactly(header.byteSize)
  await skipPadding(input, header.byteSize)
  if (header.type === 'x') return { pax: parsePaxRecords(body) }
  if (header.type === 'g') {
    const { path, linkPath, byteSize } = parsePaxRecords(body)
    if (path ?? linkPath ?? byteSize !== undefined) throw new ArchiveRefused('pax_record')
    return {}
  }
  const text = body.at(-1) === 0 ? body.subarray(0, -1) : body
  return header.type === 'L' ? { gnuName: text } : { gnuLinkName: text }
}

function toEntry(header: TarHeader, extensions: Extensions, body: EntryBody): RawEntry {
  const name = extensions.pax?.path ?? extensions.gnuName ?? header.name
  return onEntry(name, () => ({ name, ...restOf(header, extensions, body) }))
}

function restOf(header: TarHeader, extensions: Extensions, body: EntryBody): Omit<RawEntry, 'name'> {
  const { pax, gnuName, gnuLinkName } = extensions
  if (header.type === sparse) throw new ArchiveRefused('sparse_entry')
  const kind = kinds[header.type]
  if (kind === undefined) throw new ArchiveRefused('unknown_entry_type')
  if ((gnuName && pax?.path) || (gnuLinkName && pax?.linkPath)) throw new ArchiveRefused('header_disagrees')
  const linkName = pax?.linkPath ?? gnuLinkName ?? header.linkName
  const isLink = kind === 'symlink' || kind === 'hard_link'
  if (isLink !== linkName.length > 0) throw new ArchiveRefused('header_disagrees')
  const hasContent = kind === 'file' || header.type === dumpDirectory
  if (!hasContent && header.byteSize !== 0) throw new ArchiveRefused('header_disagrees')
  // Every size within bounds fits the header, so two different sizes are a forgery.
  if (pax?.byteSize !== undefined && pax.byteSize !== header.byteSize)
    throw new ArchiveRefused('header_disagrees')
  return {
    kind,
    linkName,
    mode: header.mode,
    byteSize: kind === 'file' ? header.byteSize : 0,
    modifiedAt: pax?.modifiedAt ?? header.modifiedAt,
    attributeNames: pax?.attributeNames ?? [],
    body: kind === 'file' ? body : emptyBody(),
  }
}

async function checkDumpDirectory(body: EntryBody): Promise<void> {
  const list = new DumpDirectory()
  for await (const bytes of body) list.add(bytes)
  list.end()
}

/** Reads zeros up to the next block. Anything else would be hidden content. */
async function skipPadding(input: ByteReader, byteSize: number): Promise<void> {
  const paddingBytes = (BLOCK_BYTES - (byteSize % BLOCK_BYTES)) % BLOCK_BYTES
  if (!isZero(await input.exactly(paddingBytes))) throw new ArchiveRefused('header_disagrees')
}

/** Called after the first of the two zero blocks. */
async function expectEnd(input: ByteReader): Promise<void> {
  if (!isZero(await input.exactly(BLOCK_BYTES))) throw new ArchiveRefused('trailing_data')
  for (;;) {
    const bytes = await input.chunk(BLOCK_BYTES * 128)
    if (bytes === undefined) return
    if (!isZero(bytes)) throw new ArchiveRefused('trailing_data')
  }
}

const zeros = Buffer.alloc(BLOCK_BYTES * 128)

const isZero = (bytes: Buffer): boolean => bytes.equals(zeros.subarray(0, bytes.length))
