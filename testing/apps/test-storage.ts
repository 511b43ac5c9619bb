import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { DiskStorage } from '../../server/storage/disk.ts'

/** A folder for the calling test file, removed when the file is done. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Object storage in a folder of that kind. */
export const testStorage = (): DiskStorage => new DiskStorage(join(testFolder(), 'objects'))
