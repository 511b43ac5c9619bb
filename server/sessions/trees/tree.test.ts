import { describe, expect, it } from 'vitest'
import { CodedError } from '../../base/errors/coded-error.ts'
import { LoopSlices } from '../../fairness/loop-slices.ts'
import {
  byteSizeOf,
  emptyTree,
  entriesBelow,
  packsOf,
  requirePath,
  requireWithin,
  type Tree,
  type TreeEntry,
  type TreeFile,
  treeOf,
  withEntry as withEntryAt,
  withFolder as withFolderAt,
  withMoved as withMovedAt,
  withoutEntry,
} from './tree.ts'
import { decodeTree, encodeTree } from './tree-text.ts'

const slice = new LoopSlices().of('company')
const file = (path: string, pack = 'spk_1'): TreeFile => ({
  kind: 'file',
  path,
  mode: 0o644,
  byteSize: 3,
  modifiedAt: 1_600_000_000,
  digest: `sha256:${'0'.repeat(64)}`,
  pack,
  offset: 0,
})
const at = 1_600_000_001
const withEntry = (tree: Tree, entry: TreeEntry) => withEntryAt(tree, entry, at)
const withFolder = (tree: Tree, path: string) => withFolderAt(tree, path, at)
const withMoved = (tree: Tree, of: { from: string; to: string }) =>
  withMovedAt(tree, { ...of, at: at + 1 }, slice)
const link = (path: string) => ({ kind: 'link', path, target: '/etc' }) as const
const withFiles = (...paths: string[]): Tree =>
  paths.reduce((tree: Tree, path) => withEntry(tree, file(path)), emptyTree)
const pathsOf = (tree: Tree) => [...tree.keys()]
const codeOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error instanceof CodedError ? error.code : 'another error'
  }
  return 'no error'
}

describe('a tree', () => {
  it('has the folders above each entry, before it', () => {
    expect(pathsOf(withFiles('a/b/c', 'a-b', 'a/d'))).toEqual(['a', 'a-b', 'a/b', 'a/b/c', 'a/d'])
  })

  it('lists a folder with and without what is in its folders', () => {
    const tree = withFiles('a/b/c', 'a/d', 'ab')
    expect(entriesBelow(tree, 'a', 'one').map(({ path }) => path)).toEqual(['a/b', 'a/d'])
    expect(entriesBelow(tree, 'a', 'all').map(({ path }) => path)).toEqual(['a/b', 'a/b/c', 'a/d'])
    expect(entriesBelow(tree, undefined, 'one').map(({ path }) => path)).toEqual(['a', 'ab'])
    expect(codeOf(() => entriesBelow(tree, 'ab', 'one'))).toBe('not_found')
  })

  it('replaces a file or a link, never a folder, and puts nothing below a file or a link', () => {
    const tree = withEntry(withFiles('a/b'), link('c'))
    expect(withEntry(tree, file('a/b', 'spk_2')).get('a/b')).toMatchObject({ pack: 'spk_2' })
    expect(withEntry(tree, file('c')).get('c')?.kind).toBe('file')
    expect(codeOf(() => withEntry(tree, file('a')))).toBe('session_path_conflict')
    expect(codeOf(() => withEntry(tree, file('c/d')))).toBe('session_path_conflict')
    expect(codeOf(() => withFolder(tree, 'a/b/c'))).toBe('session_path_conflict')
    expect(codeOf(() => withFolder(tree, 'c'))).toBe('session_path_conflict')
    expect(withFolder(tree, 'a')).toEqual(tree)
  })

  it('moves and deletes an entry with all below it, and nothing beside it', async () => {
    const tree = withFiles('a/b/c', 'ab/c')
    expect(pathsOf(withoutEntry(tree, 'a'))).toEqual(['ab', 'ab/c'])
    expect(pathsOf(await withMoved(tree, { from: 'a', to: 'x/y' }))).toEqual([
      'ab',
      'ab/c',
      'x',
      'x/y',
      'x/y/b',
      'x/y/b/c',
    ])
    await expect(withMoved(tree, { from: 'a', to: 'a/b/d' })).rejects.toMatchObject({
      code: 'session_path_conflict',
    })
    await expect(withMoved(tree, { from: 'a', to: 'ab' })).rejects.toMatchObject({
      code: 'session_path_conflict',
    })
    await expect(withMoved(tree, { from: 'x', to: 'y' })).rejects.toMatchObject({ code: 'not_found' })
    expect(codeOf(() => withoutEntry(tree, 'x'))).toBe('not_found')
  })

  it('gives folders the time at which they were made, and keeps it when they move', async () => {
    const tree = await withMoved(withFolder(withFiles('a/b'), 'a'), { from: 'a', to: 'x/y' })
    expect([tree.get('x'), tree.get('x/y')]).toMatchObject([{ modifiedAt: at + 1 }, { modifiedAt: at }])
  })

  it('is the same after it was stored, whatever the order in which it was made', async () => {
    const tree = withEntry(withEntry(withFiles('a/b', 'c'), link('d')), file('e', 'spk_0'))
    const stored = await encodeTree(tree, slice)
    expect(await decodeTree(stored, slice)).toEqual(tree)
    const other = withEntry(withEntry(withEntry(withFiles('c'), file('e', 'spk_0')), link('d')), file('a/b'))
    expect(await encodeTree(other, slice)).toEqual(stored)
    expect(packsOf(tree).sort()).toEqual(['spk_0', 'spk_1'])
    expect(await decodeTree(undefined, slice)).toEqual(emptyTree)
  })

  it('is the same after it was stored, whatever names look like its stored form', async () => {
    const hostile = ['],[', '],["d","', '"],["f"', '\\', '],[\\', '],["l"', '"entries":[', ']}', '\u2028']
    const long = 'x'.repeat(1000)
    const entries = Array.from({ length: 1000 }, (_, at): TreeEntry => {
      const path = `${long}${at}${hostile[at % hostile.length]}`
      return at % 2 === 0 ? { kind: 'link', path, target: hostile[at % 7] ?? '' } : file(path)
    })
    const tree = treeOf(entries)
    expect(await decodeTree(await encodeTree(tree, slice), slice)).toEqual(tree)
    expect(JSON.parse((await encodeTree(tree, slice)).toString()).entries).toHaveLength(1000)
  })

  it('is read where it was stored without times', async () => {
    const folder = { kind: 'folder', path: 'b', mode: 0o700, modifiedAt: 0 } as const
    const tree = treeOf([{ ...file('a'), modifiedAt: 0 }, folder])
    const stored = await encodeTree(tree, slice)
    expect(JSON.parse(stored.toString()).entries).toEqual([
      ['f', 'a', 0o644, 3, file('a').digest, 0, 0],
      ['d', 'b', 0o700],
    ])
    expect(await decodeTree(stored, slice)).toEqual(tree)
  })

  it('is bounded in bytes, entries, and the length and depth of paths', () => {
    const tree = withFiles('a', 'b')
    expect(byteSizeOf(tree)).toBe(6)
    const within = (files: Tree, maxBytes: number, before = emptyTree) =>
      codeOf(() => requireWithin(files, { maxBytes, before }))
    expect(within(tree, 6)).toBe('no error')
    expect(within(tree, 5)).toBe('session_full')
    const many = new Map(Array.from({ length: 20_001 }, (_, at) => [String(at), link(String(at))]))
    expect(within(many, 5)).toBe('session_full')
    const long = (count: number) =>
      new Map(Array.from({ length: count }, (_, at) => [at.toString(), file(String(at).padStart(1024, 'a'))]))
    expect(within(long(4096), 4096 * 3)).toBe('no error')
    expect(within(long(4097), 4097 * 3)).toBe('session_full')
    expect(within(long(4098), 4098 * 3, long(4099))).toBe('no error')
    expect(within(long(4099), 4099 * 3, long(4098))).toBe('session_full')
    expect(within(long(2), 5, long(3))).toBe('no error')
    for (const path of ['n'.repeat(256), `${'ü'.repeat(100)}/`.repeat(6), `${'d/'.repeat(64)}e`])
      expect(() => requirePath(path, ['query', 'path'])).toThrow()
    expect(() => requirePath(`${'d/'.repeat(63)}e`, ['query', 'path'])).not.toThrow()
  })
})
