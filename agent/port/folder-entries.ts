import { sha256Of } from '../../server/base/sha256.ts'
import { digestBytes, digestOf, type KnownContent } from './known-contents.ts'

/*
 * The bytes of a collected folder: its entries one after another, each folder before what it holds. An entry is a header that
 * a zero byte ends, and its content: the bytes of a file, the digest of a file whose bytes the caller has, or the target of a
 * link. The header has the kind (`d`, `f`, `k` or `l`), the mode in octal digits with `@` and the time in seconds
 * since 1970, the size in decimal digits, and the path, divided by single spaces. The collector of the folder checked every
 * bound, so what breaks the form here is a broken host, not a tenant.
 */

export type FolderEntryKind = 'folder' | 'file' | 'known' | 'link'

export interface FolderEntryHead {
  kind: FolderEntryKind
  /** Permission bits; of no meaning for links. */
  mode: number
  /** Seconds since 1970, 0 for anything before. */
  modifiedAt: number
  /** Path below the folder, raw bytes in latin1: the caller decides which text it accepts. */
  path: string
  /** Of the content; of a known file that of its bytes. */
  byteSize: number
}

export interface FolderEntry extends Omit<FolderEntryHead, 'byteSize' | 'kind'> {
  kind: Exclude<FolderEntryKind, 'known'>
  /** Of a file its bytes, of a link its target, of a folder nothing. */
  content: Buffer
}

const kindOf = { d: 'folder', f: 'file', k: 'known', l: 'link' } as const
const letterOf = { folder: 'd', file: 'f', link: 'l' } as const
/** Longer than any header: paths have at most 4000 bytes. */
const headMaxBytes = 8192

/**
 * The entries in order, each as its head and then the pieces of its content. Throws if the bytes have another form, or end
 * early.
 */
export async function* folderParts(
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<FolderEntryHead | Buffer, void> {
  let head: Buffer[] = []
  let headBytes = 0
  let left = 0
  for await (const chunk of stream) {
    for (let at = 0; at < chunk.length; ) {
      if (left > 0) {
        const part = chunk.subarray(at, at + left)
        left -= part.length
        at += part.length
        yield part
        continue
      }
      const zero = chunk.indexOf(0, at)
      const part = chunk.subarray(at, zero < 0 ? chunk.length : zero)
      at += part.length + 1
      head.push(part)
      headBytes += part.length
      if (headBytes > headMaxBytes) throw new Error('the header of an entry is too long')
      if (zero < 0) continue
      const entry = headOf(Buffer.concat(head).toString('latin1'))
      left = entry.kind === 'known' ? digestBytes : entry.byteSize
      head = []
      headBytes = 0
      yield entry
    }
  }
  if (left > 0 || headBytes > 0) throw new Error('a collected folder is cut')
}

const form = /^([dfkl]) ([0-7]{1,4})@(\d{1,10}) (\d{1,15}) (.+)$/s

function headOf(text: string): FolderEntryHead {
  const [, letter, mode = '', time = '', size = '', path = ''] = form.exec(text) ?? []
  if (letter === undefined) throw new Error('an entry of a collected folder has another form')
  const kind = kindOf[letter as keyof typeof kindOf]
  return { kind, mode: Number.parseInt(mode, 8), modifiedAt: Number(time), path, byteSize: Number(size) }
}

/** The bytes of these entries, where the caller has the contents of some files. */
export function folderBytes(entries: readonly FolderEntry[], known: readonly KnownContent[]): Buffer {
  const isKnown = new Set(known.map(({ byteSize, digest }) => `${byteSize} ${digest}`))
  return Buffer.concat(
    entries.flatMap(({ kind, mode, modifiedAt, path, content }) => {
      const digest = sha256Of(content)
      const letter = kind === 'file' && isKnown.has(`${content.length} ${digest}`) ? 'k' : letterOf[kind]
      return [
        Buffer.from(`${letter} ${mode.toString(8)}@${modifiedAt} ${content.length} ${path}\0`, 'latin1'),
        letter === 'k' ? digestOf(digest) : content,
      ]
    }),
  )
}
