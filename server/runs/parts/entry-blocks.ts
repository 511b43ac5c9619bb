import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { unknownTime } from '../../../reader/formats/file-time.ts'
import { tarHeader, tarPadding } from './workspace-tar.ts'

const nameBytes = 100

/**
 * Writes the entries of an archive as tar blocks without the end blocks, in the format that the platform's busybox reads:
 * raw UTF-8 names, and GNU long-name entries for names that do not fit a header. busybox ignores PAX records and would
 * give such a file the wrong name. Entries without a time get `modifiedAt`.
 */
export async function* entryBlocks(
  entries: AsyncIterable<ArchiveEntry>,
  modifiedAt: number,
): AsyncGenerator<Buffer, void> {
  for await (const entry of entries) {
    yield headersOf(entry, entry.modifiedAt || modifiedAt)
    if (entry.body === undefined) continue
    let byteSize = 0
    for await (const bytes of entry.body) {
      byteSize += bytes.length
      yield bytes
    }
    if (byteSize !== entry.byteSize) throw new Error('the size of an entry differs from its header')
    yield tarPadding(byteSize)
  }
}

const types = { file: '0', hard_link: '1', symlink: '2', directory: '5' } as const

function headersOf(entry: ArchiveEntry, modifiedAt: number): Buffer {
  const path = Buffer.from(entry.kind === 'directory' ? `${entry.path}/` : entry.path)
  const linkTarget = Buffer.from(entry.linkTarget ?? '')
  const own = tarHeader({
    path: path.subarray(0, nameBytes),
    linkTarget: linkTarget.subarray(0, nameBytes),
    type: types[entry.kind],
    mode: entry.mode,
    byteSize: entry.kind === 'file' ? entry.byteSize : 0,
    modifiedAt,
  })
  return Buffer.concat([longName('K', linkTarget), longName('L', path), own])
}

/** Empty for a text that fits the header. */
function longName(type: 'L' | 'K', text: Buffer): Buffer {
  if (text.length <= nameBytes) return Buffer.alloc(0)
  const content = Buffer.concat([text, Buffer.alloc(1)])
  const path = Buffer.from('../prepare/@LongLink')
  const header = tarHeader({ path, type, mode: 0o644, byteSize: content.length, modifiedAt: unknownTime })
  return Buffer.concat([header, content, tarPadding(content.length)])
}
