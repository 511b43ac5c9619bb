import { unknownTime } from '../../../reader/formats/file-time.ts'
import type { Slice } from '../../fairness/loop-slices.ts'
import { emptyTree, packsOf, type Tree, type TreeEntry } from './tree.ts'

/*
 * A tree as it is stored: JSON of its packs and of its entries, each an array that starts with its kind. A file names its pack
 * by the position in the list. Files and folders end with their time unless that is unknown. The same tree always gives the same bytes.
 */

type StoredEntry =
  | ['d', path: string, mode: number, modifiedAt?: number]
  | [
      'f',
      path: string,
      mode: number,
      byteSize: number,
      digest: string,
      pack: number,
      offset: number,
      modifiedAt?: number,
    ]
  | ['l', path: string, target: string]

interface StoredTree {
  version: 1
  packs: string[]
  entries: StoredEntry[]
}

export async function encodeTree(tree: Tree, slice: Slice): Promise<Buffer> {
  if (slice.isOver) await slice.next()
  const packs = packsOf(tree).sort()
  const positions = new Map(packs.map((pack, at) => [pack, at]))
  const pieces: Buffer[] = []
  let text = JSON.stringify(headOf(packs)).slice(0, -end.length)
  let comma = ''
  for (const entry of tree.values()) {
    if (slice.isOver) await slice.next()
    text += comma + JSON.stringify(storedEntry(entry, positions))
    comma = ','
    if (text.length < pieceBytes) continue
    pieces.push(Buffer.from(text))
    text = ''
  }
  return Buffer.concat([...pieces, Buffer.from(text + end)])
}

const headOf = (packs: string[]): StoredTree => ({ version: 1, packs, entries: [] })
const end = ']}'
/** Encoded and decoded at once: as one text, all entries would keep the event loop for more than a slice. */
const pieceBytes = 64 * 1024

function storedEntry(entry: TreeEntry, positions: ReadonlyMap<string, number>): StoredEntry {
  if (entry.kind === 'link') return ['l', entry.path, entry.target]
  const time: [] | [number] = entry.modifiedAt === unknownTime ? [] : [entry.modifiedAt]
  if (entry.kind === 'folder') return ['d', entry.path, entry.mode, ...time]
  const { path, mode, byteSize, digest, pack, offset } = entry
  return ['f', path, mode, byteSize, digest, positions.get(pack) ?? 0, offset, ...time]
}

/** Undefined, as of a session without a tree: the empty tree. */
export async function decodeTree(content: Buffer | undefined, slice: Slice): Promise<Tree> {
  if (content === undefined) return emptyTree
  if (slice.isOver) await slice.next()
  const start = content.indexOf(entriesStart) + entriesStart.length
  const { version, packs } = JSON.parse(`${content.toString('utf8', 0, start)}${end}`) as StoredTree
  if (version !== 1) throw new Error('a stored tree has another version')
  // The entries are stored in the order of the tree.
  const tree = new Map<string, TreeEntry>()
  for (const piece of piecesOf(content.subarray(start, -end.length))) {
    if (slice.isOver) await slice.next()
    for (const stored of JSON.parse(`[${piece.toString()}]`) as StoredEntry[]) {
      const entry = entryOf(stored, packs)
      tree.set(entry.path, entry)
    }
  }
  return tree
}

/** The ids of packs before it are ours. */
const entriesStart = '"entries":['
/**
 * With the kind and a quote behind it, this is between two entries and nowhere else: a quote in a text is escaped, and behind a
 * text is a comma or a bracket.
 */
const boundary = Buffer.from('],["')
const kinds = new Set(Buffer.from('dfl'))
const quote = 0x22

/** The entries, some at a time. */
function* piecesOf(entries: Buffer): Generator<Buffer, void> {
  for (let at = 0; at < entries.length; ) {
    const next = boundaryAfter(entries, at + pieceBytes)
    yield entries.subarray(at, next)
    at = next + 1
  }
}

/** Where the comma between two entries is, or the end. */
function boundaryAfter(entries: Buffer, from: number): number {
  for (let at = entries.indexOf(boundary, from); at >= 0; at = entries.indexOf(boundary, at + 1)) {
    const kindAt = at + boundary.length
    if (kinds.has(entries[kindAt] ?? 0) && entries[kindAt + 1] === quote) return at + 1
  }
  return entries.length
}

function entryOf(stored: StoredEntry, packs: readonly string[]): TreeEntry {
  if (stored[0] === 'd') {
    const [, path, mode, modifiedAt = unknownTime] = stored
    return { kind: 'folder', path, mode, modifiedAt }
  }
  if (stored[0] === 'l') return { kind: 'link', path: stored[1], target: stored[2] }
  const [, path, mode, byteSize, digest, pack, offset, modifiedAt = unknownTime] = stored
  return { kind: 'file', path, mode, byteSize, modifiedAt, digest, pack: packs[pack] ?? '', offset }
}
