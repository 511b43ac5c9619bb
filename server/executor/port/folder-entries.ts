/*
 * The bytes of a collected folder: its entries one after another, each folder before what it holds. An entry is a header that
 * a zero byte ends, and its content: the bytes of a file, or the target of a link. The header has the kind (`d`, `f` or `l`), the
 * mode in octal digits, the size of the content in decimal digits, and the path, divided by single spaces. What collected
 * the folder checked every bound, so what breaks the form here is a broken host, not a tenant.
 */

export type FolderEntryKind = 'folder' | 'file' | 'link'

export interface FolderEntryHead {
  kind: FolderEntryKind
  /** Permission bits; of no meaning for links. */
  mode: number
  /** Path below the folder, raw bytes in latin1: the caller decides which text it accepts. */
  path: string
  byteSize: number
}

export interface FolderEntry extends Omit<FolderEntryHead, 'byteSize'> {
  /** Of a file its bytes, of a link its target, of a folder nothing. */
  content: Buffer
}

const kindOf = { d: 'folder', f: 'file', l: 'link' } as const
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
      left = entry.byteSize
      head = []
      headBytes = 0
      yield entry
    }
  }
  if (left > 0 || headBytes > 0) throw new Error('a collected folder is cut')
}

const form = /^([dfl]) ([0-7]{1,4}) (\d{1,15}) (.+)$/s

function headOf(text: string): FolderEntryHead {
  const [, letter, mode = '', size = '', path = ''] = form.exec(text) ?? []
  if (letter === undefined) throw new Error('an entry of a collected folder has another form')
  const kind = kindOf[letter as keyof typeof kindOf]
  return { kind, mode: Number.parseInt(mode, 8), path, byteSize: Number(size) }
}

/** The bytes of these entries. */
export const folderBytes = (entries: readonly FolderEntry[]): Buffer =>
  Buffer.concat(
    entries.flatMap(({ kind, mode, path, content }) => [
      Buffer.from(`${letterOf[kind]} ${mode.toString(8)} ${content.length} ${path}\0`, 'latin1'),
      content,
    ]),
  )
