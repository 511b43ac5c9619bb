import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { systemClock } from '../../../base/clock.ts'
import { filesBelow } from '../copy-files.ts'
import { nameOf } from '../schedule/found-backups.ts'
import { archiveFiles } from './archive-files.ts'
import { ArchiveFolder } from './archive-folder.ts'

let parent: string
let dataDir: string
let archive: ArchiveFolder

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'sandbox-test-archived-'))
  dataDir = join(parent, 'data')
  mkdirSync(join(dataDir, 'objects/objects'), { recursive: true })
  mkdirSync(join(parent, 'backups'))
  archive = new ArchiveFolder(join(parent, 'backups'))
  await archive.makeFolders()
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(parent, { recursive: true })
})

function archiveAll(signal = new AbortController().signal, now = systemClock.now()): Promise<void> {
  const oldest = { name: nameOf(now), path: '', madeAt: now, walSegment: '' }
  const bound = { oldest, take: async () => undefined }
  return archiveFiles({ archive, dataDir, bound, signal }, now)
}

test('a name with a line end is one name, and leads to no file elsewhere', async () => {
  writeFileSync(join(dataDir, 'objects/secret'), 'of somebody else')
  mkdirSync(join(dataDir, 'objects/objects/a\n..'))
  writeFileSync(join(dataDir, 'objects/objects/a\n../secret'), 'an object')
  await archiveAll()
  const [folder = ''] = await archive.listFiles()
  expect(await Array.fromAsync(filesBelow(archive.filesAt(folder)))).toEqual(['objects/a\n../secret'])
  expect(readFileSync(join(archive.filesAt(folder), 'objects/a\n../secret'), 'utf8')).toBe('an object')
})

test('two turns of one second have a folder each', async () => {
  const now = systemClock.now()
  for (const content of ['first', 'second']) {
    writeFileSync(join(dataDir, 'objects/objects/a'), content)
    await archiveAll(undefined, now)
  }
  const folders = await archive.listFiles()
  const contents = folders.map((folder) => readFileSync(join(archive.filesAt(folder), 'objects/a'), 'utf8'))
  expect(contents).toEqual(['first', 'second'])
})

test('a search for new files ends when the process stops', async () => {
  const bin = join(parent, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'find'), `#!/bin/sh\n: > ${bin}/started\nexec /bin/sleep 600\n`, { mode: 0o755 })
  vi.stubEnv('PATH', bin)
  const stopping = new AbortController()
  const archived = archiveAll(stopping.signal)
  await eventually(async () => expect(existsSync(join(bin, 'started'))).toBe(true))
  stopping.abort()
  await expect(archived).rejects.toThrow('aborted')
})
