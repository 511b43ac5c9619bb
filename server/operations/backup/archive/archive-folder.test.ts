import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ArchiveFolder } from './archive-folder.ts'

const name = (number: number) => `0000000100000000000000${number.toString(16).toUpperCase().padStart(2, '0')}`
let backups: string
let archive: ArchiveFolder

beforeEach(async () => {
  backups = mkdtempSync(join(tmpdir(), 'sandbox-test-archive-'))
  archive = new ArchiveFolder(backups)
  await archive.makeFolders()
})
afterEach(() => rmSync(backups, { recursive: true }))

const store = (...files: string[]) => {
  for (const file of files) writeFileSync(join(archive.path, 'wal', file), '')
}

test('segments are in their order, the whole one before its part, and other files are none', async () => {
  store(`${name(3)}.partial.gz.age`, `${name(2)}.gz.age`, `${name(2)}.partial.gz`, `${name(1)}.gz`)
  store(
    'notes',
    `${name(4)}`,
    `${name(4)}.history.gz`,
    `${name(4)}.gz.old`,
    `${name(4)}.partial`,
    'x.gz',
    '.age',
  )
  const found = await archive.listSegments()
  expect(found.map(({ name: segment, isPartial, isEncrypted }) => [segment, isPartial, isEncrypted])).toEqual(
    [
      [name(1), false, false],
      [name(2), false, true],
      [name(3), true, true],
    ],
  )
})
