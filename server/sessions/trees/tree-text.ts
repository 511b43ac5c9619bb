import { emptyTree, packsOf, type Tree, type TreeEntry, treeOf } from './tree.ts'

/*
 * A tree as it is stored: JSON of its packs and of its entries, each an array that starts with its kind. A file names its pack
 * by the position in the list. The same tree always gives the same bytes.
 */

type StoredEntry =
  | ['d', path: string, mode: number]
  | ['f', path: string, mode: number, byteSize: number, digest: string, pack: number, offset: number]
  | ['l', path: string, target: string]

interface StoredTree {
  version: 1
  packs: string[]
  entries: StoredEntry[]
}

export function encodeTree(tree: Tree): Buffer {
  const packs = packsOf(tree).sort()
  const positions = new Map(packs.map((pack, at) => [pack, at]))
  const entries = [...tree.values()].map((entry) => storedEntry(entry, positions))
  return Buffer.from(JSON.stringify({ version: 1, packs, entries } satisfies StoredTree))
}

function storedEntry(entry: TreeEntry, positions: ReadonlyMap<string, number>): StoredEntry {
  if (entry.kind === 'folder') return ['d', entry.path, entry.mode]
  if (entry.kind === 'link') return ['l', entry.path, entry.target]
  const { path, mode, byteSize, digest, pack, offset } = entry
  return ['f', path, mode, byteSize, digest, positions.get(pack) ?? 0, offset]
}

/** Undefined, as of a session without a tree: the empty tree. */
export function decodeTree(content: Buffer | undefined): Tree {
  if (content === undefined) return emptyTree
  const { version, packs, entries } = JSON.parse(content.toString('utf8')) as StoredTree
  if (version !== 1) throw new Error('a stored tree has another version')
  return treeOf(
    entries.map((entry): TreeEntry => {
      if (entry[0] === 'd') return { kind: 'folder', path: entry[1], mode: entry[2] }
      if (entry[0] === 'l') return { kind: 'link', path: entry[1], target: entry[2] }
      const [, path, mode, byteSize, digest, pack, offset] = entry
      return { kind: 'file', path, mode, byteSize, digest, pack: packs[pack] ?? '', offset }
    }),
  )
}
