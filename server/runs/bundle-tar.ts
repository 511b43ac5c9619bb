import type { ArchiveEntry } from '../builds/archive/archive.ts'
import { tarHeader, tarPadding } from './workspace-tar.ts'

const nameBytes = 100

/**
 * Writes the entries of a bundle as the blocks of a tar, without its end, in the dialect that the platform's busybox
 * reads: raw UTF-8 names, and GNU entries before those that are too long for a header. Other tools' PAX records it would
 * pass over, and so give a file the wrong name.
 */
export async function* bundleTar(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Buffer, void> {
  for await (const entry of entries) {
    yield headersOf(entry)
    if (entry.body === undefined) continue
    let byteSize = 0
    for await (const bytes of entry.body) {
      byteSize += bytes.length
      yield bytes
    }
    if (byteSize !== entry.byteSize) throw new Error('an entry has another size than it says')
    yield tarPadding(byteSize)
  }
}

const types = { file: '0', hard_link: '1', symlink: '2', directory: '5' } as const

function headersOf(entry: ArchiveEntry): Buffer {
  const path = Buffer.from(entry.kind === 'directory' ? `${entry.path}/` : entry.path)
  const linkTarget = Buffer.from(entry.linkTarget ?? '')
  const own = tarHeader({
    path: path.subarray(0, nameBytes),
    linkTarget: linkTarget.subarray(0, nameBytes),
    type: types[entry.kind],
    mode: entry.mode,
    byteSize: entry.kind === 'file' ? entry.byteSize : 0,
  })
  return Buffer.concat([longName('K', linkTarget), longName('L', path), own])
}

/** Nothing for a text that the header holds by itself. */
function longName(type: 'L' | 'K', text: Buffer): Buffer {
  if (text.length <= nameBytes) return Buffer.alloc(0)
  const content = Buffer.concat([text, Buffer.alloc(1)])
  const path = Buffer.from('././@LongLink')
  const header = tarHeader({ path, type, mode: 0o644, byteSize: content.length })
  return Buffer.concat([header, content, tarPadding(content.length)])
}
