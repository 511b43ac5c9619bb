import {
  sessionDepthMax,
  sessionFilesMax,
  sessionNameMaxBytes,
  sessionNamesMaxBytes,
  sessionPathMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import type { Slice } from '../../fairness/loop-slices.ts'

/*
 * The files, folders and links of a session. A tree never changes: each change makes another one. Every folder above an entry
 * is an entry itself, and a link has nothing below it, so no path leads through a link.
 */

export interface TreeFolder {
  kind: 'folder'
  path: string
  /** Permission bits, as of a file. */
  mode: number
  /** `reader/formats/file-time.ts`. */
  modifiedAt: number
}

export interface TreeFile {
  kind: 'file'
  path: string
  mode: number
  byteSize: number
  /** `reader/formats/file-time.ts`. */
  modifiedAt: number
  digest: string
  /** The id of the pack with its bytes, and where they start in it. */
  pack: string
  offset: number
}

export interface TreeLink {
  kind: 'link'
  path: string
  /** As the program wrote it; nothing of ours follows it. */
  target: string
}

export type TreeEntry = TreeFolder | TreeFile | TreeLink

/** By path, in the order of paths, so that a folder is before what it holds. */
export type Tree = ReadonlyMap<string, TreeEntry>

export const emptyTree: Tree = new Map()

export const permissionBits = 0o777
const newFolderMode = 0o755
export const newFileMode = 0o644
export const executableBit = 0o100

export const treeOf = (entries: Iterable<TreeEntry>): Tree =>
  new Map(
    [...entries]
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map((entry): [string, TreeEntry] => [entry.path, entry]),
  )

/** Bytes of all files, whether or not they share them. */
export const byteSizeOf = (tree: Tree): number =>
  [...tree.values()].reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.byteSize : 0), 0)

/** The ids of the packs with bytes of the tree. */
export const packsOf = (tree: Tree): string[] => [
  ...new Set([...tree.values()].flatMap((entry) => (entry.kind === 'file' ? [entry.pack] : []))),
]

/** Throws 422 for a path beyond the bounds that a schema cannot say. */
export function requirePath(path: string, loc: (string | number)[]): void {
  const parts = path.split('/')
  const isLong =
    Buffer.byteLength(path) > sessionPathMaxBytes ||
    parts.length > sessionDepthMax ||
    parts.some((part) => Buffer.byteLength(part) > sessionNameMaxBytes)
  if (!isLong) return
  const words = `may have at most ${sessionPathMaxBytes} bytes, ${sessionNameMaxBytes} of them between two slashes, in ${sessionDepthMax} parts`
  throw invalid(loc, 'too_long', words)
}

/** The entries below a folder, or all of them; `one`: those directly in it. Throws `not_found` for what is no folder. */
export function entriesBelow(tree: Tree, folder: string | undefined, depth: 'one' | 'all'): TreeEntry[] {
  if (folder !== undefined && tree.get(folder)?.kind !== 'folder') throw notFound()
  const prefix = folder === undefined ? '' : `${folder}/`
  return [...tree.values()].filter(
    ({ path }) => path.startsWith(prefix) && (depth === 'all' || !path.slice(prefix.length).includes('/')),
  )
}

/**
 * With the entry and the folders above it, which are made at `at` where they are missing. It replaces a file or a link, never a
 * folder: `session_path_conflict`.
 */
export function withEntry(tree: Tree, entry: TreeEntry, at: number): Tree {
  const entries = new Map(tree)
  for (const path of foldersAbove(entry.path)) {
    const there = tree.get(path)
    if (there && there.kind !== 'folder') throw new CodedError('session_path_conflict')
    if (!there) entries.set(path, folderAt(path, at))
  }
  const there = tree.get(entry.path)
  const isFolder = there?.kind === 'folder'
  if (there && isFolder !== (entry.kind === 'folder')) throw new CodedError('session_path_conflict')
  if (!isFolder) entries.set(entry.path, entry)
  return treeOf(entries.values())
}

export const withFolder = (tree: Tree, path: string, at: number): Tree =>
  withEntry(tree, folderAt(path, at), at)

const folderAt = (path: string, modifiedAt: number): TreeFolder => ({
  kind: 'folder',
  path,
  mode: newFolderMode,
  modifiedAt,
})

/** Without the entry and all below it. Throws `not_found`. */
export function withoutEntry(tree: Tree, path: string): Tree {
  if (!tree.has(path)) throw notFound()
  return new Map([...tree].filter(([other]) => !isWithin(other, path)))
}

/** With the entry and all below it at another path, where nothing may be. Throws `not_found` and `session_path_conflict`. */
export async function withMoved(
  tree: Tree,
  { from, to, at }: { from: string; to: string; at: number },
  slice: Slice,
): Promise<Tree> {
  const moved = tree.get(from)
  if (!moved) throw notFound()
  if (tree.has(to) || isWithin(to, from)) throw new CodedError('session_path_conflict')
  const rest: TreeEntry[] = []
  for (const entry of tree.values()) {
    if (slice.isOver) await slice.next()
    if (entry.path === from || !isWithin(entry.path, from)) continue
    const path = `${to}${entry.path.slice(from.length)}`
    requirePath(path, ['body', 'to'])
    rest.push({ ...entry, path })
  }
  if (slice.isOver) await slice.next()
  const others = withoutEntry(tree, from)
  if (slice.isOver) await slice.next()
  const placed = withEntry(others, { ...moved, path: to }, at)
  if (slice.isOver) await slice.next()
  return treeOf([...placed.values(), ...rest])
}

/** Throws `session_full` above the limits of a session, unless the files before had as much: what is there can always be removed. */
export function requireWithin(tree: Tree, { maxBytes, before }: { maxBytes: number; before: Tree }): void {
  const isOver = (measure: (of: Tree) => number, max: number) => {
    const size = measure(tree)
    return size > max && size > measure(before)
  }
  const isFull =
    isOver(({ size }) => size, sessionFilesMax) ||
    isOver(byteSizeOf, maxBytes) ||
    isOver(nameBytesOf, sessionNamesMaxBytes)
  if (isFull) throw new CodedError('session_full')
}

/** Bytes of all paths and targets of links. */
export const nameBytesOf = (tree: Tree): number =>
  [...tree.values()].reduce(
    (sum, { path, ...entry }) =>
      sum + Buffer.byteLength(path) + (entry.kind === 'link' ? Buffer.byteLength(entry.target) : 0),
    0,
  )

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`)

const foldersAbove = (path: string): string[] => {
  const parts = path.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** One file for each content. */
export const filesByDigest = (tree: Tree): Map<string, TreeFile> =>
  new Map(
    [...tree.values()].flatMap((entry): [string, TreeFile][] =>
      entry.kind === 'file' ? [[entry.digest, entry]] : [],
    ),
  )
