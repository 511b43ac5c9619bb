import { sessionNamesMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { expect, it } from 'vitest'
import { type FolderEntry, folderBytes } from '../../../agent/port/folder-entries.ts'
import { readLeftFolder } from './left-folder.ts'

async function* inOneChunk(entries: FolderEntry[]) {
  yield folderBytes(entries, [])
}
const nothing = Buffer.alloc(0)
const linksTo = (target: Buffer, count: number): FolderEntry[] =>
  Array.from({ length: count }, (_, at) => ({
    kind: 'link',
    mode: 0o777,
    modifiedAt: 5,
    path: String(at).padStart(1024, 'a'),
    content: target,
  }))

it('a folder with long names is kept up to a number of bytes', async () => {
  const target = Buffer.alloc(1024, 'b')
  const fitting = linksTo(target, sessionNamesMaxBytes / 2048)
  expect(await readLeftFolder(inOneChunk(fitting))).toHaveLength(fitting.length)
  const oneMore: FolderEntry = {
    kind: 'folder',
    mode: 0o755,
    modifiedAt: 5,
    path: 'c',
    content: nothing,
  }
  expect(await readLeftFolder(inOneChunk([...fitting, oneMore]))).toEqual({
    rule: 'names_too_long',
    path: 'c',
  })
})
