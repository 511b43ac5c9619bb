import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'
import { systemClock } from '../../../base/clock.ts'
import { DiskStorage } from '../../../storage/disk.ts'
import { backUp } from '../back-up.ts'
import { checkBackup } from '../check-backup.ts'
import { filesOf, restoreFiles } from '../restore-files.ts'
import { writeBackupFile } from './backup-files.ts'
import { checkIdentity } from './check-identity.ts'

const run = promisify(execFile)
const { db } = await createTestDatabase()
const keysDir = mkdtempSync(join(tmpdir(), 'sandbox-test-age-'))
const identities = ['one', 'two', 'other'].map((name) => join(keysDir, name))
const [one = '', two = '', other = ''] = identities
let recipients: string[]
let parent: string
let dataDir: string
let target: string
let largest: Buffer

beforeAll(async () => {
  await makeTenant(db)
  const keys = await Promise.all(
    identities.map(async (identity) => {
      await run('age-keygen', ['--output', identity])
      return (await run('age-keygen', ['-y', identity])).stdout.trim()
    }),
  )
  recipients = keys.slice(0, 2)
})
afterAll(() => rmSync(keysDir, { recursive: true }))

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'sandbox-test-encrypted-'))
  dataDir = join(parent, 'data')
  target = join(parent, 'backup')
  for (const name of ['keys', 'objects']) mkdirSync(join(dataDir, name), { recursive: true })
  writeFileSync(join(dataDir, 'keys/root.key'), 'plain key')
  const storage = new DiskStorage(join(dataDir, 'objects'))
  largest = Buffer.alloc(3_000_000, 'plain object')
  await storage.put('runs/a/log', largest)
  await storage.put('runs/b/log.age', Buffer.from('plain'))
  await storage.put('runs/c/empty', Buffer.alloc(0))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(parent, { recursive: true })
})

const make = (to = recipients) =>
  backUp({ db, dataDir, target, recipients: to, release: '1', clock: systemClock, say: () => undefined })
const check = () => checkBackup(target, () => undefined)

test('an encrypted backup is verified without an identity, and is opened by the identity of each recipient alone', async () => {
  const manifest = await make()
  expect(manifest.recipients).toEqual(recipients)
  const plain = await run('grep', ['-rlE', 'plain|companies', target]).catch(() => ({ stdout: '' }))
  expect(plain.stdout.trim()).toBe(join(target, 'manifest.json'))
  const backup = await check()
  expect(backup.files.every(({ path }) => path.endsWith('.age'))).toBe(true)
  for (const [at, identityFile] of [one, two].entries()) {
    await checkIdentity(backup, identityFile)
    const restored = join(parent, `restored-${at}`)
    for (const folder of ['keys', 'objects']) mkdirSync(join(restored, folder), { recursive: true })
    await restoreFiles(filesOf({ ...backup, identityFile }, backup.files), restored, undefined)
    expect(readFileSync(join(restored, 'keys/root.key'), 'utf8')).toBe('plain key')
    expect(readFileSync(join(restored, 'objects/objects/runs/a/log')).equals(largest)).toBe(true)
    expect(readFileSync(join(restored, 'objects/objects/runs/b/log.age'), 'utf8')).toBe('plain')
    expect(readFileSync(join(restored, 'objects/objects/runs/c/empty'), 'utf8')).toBe('')
  }
  await expect(checkIdentity(backup, other)).rejects.toThrow('no identity matched')
  await expect(checkIdentity(backup, undefined)).rejects.toThrow('no identity is named')
  const locked = join(parent, 'locked')
  writeFileSync(locked, 'age-encryption.org/v1\n-> scrypt x 18\n')
  await expect(checkIdentity(backup, locked)).rejects.toThrow('has no AGE-SECRET-KEY')
})

test('a changed or exchanged file of an encrypted backup is found without an identity', async () => {
  await make()
  const path = join(target, 'objects/runs/a/log.age')
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, bytes.length - 1))
  await expect(check()).rejects.toThrow('objects/runs/a/log.age was changed')
})

test('no backup is begun without age, or with a recipient that is no key', async () => {
  const mistyped = recipients.map((key) => key.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')))
  await expect(make(mistyped)).rejects.toThrow('malformed recipient')
  vi.stubEnv('PATH', parent)
  await expect(make()).rejects.toThrow('apt-get install age')
  expect(existsSync(target)).toBe(false)
})

test('a file is not complete if age ends early, or if its content fails', async () => {
  const bin = join(parent, 'bin')
  mkdirSync(bin)
  mkdirSync(target)
  async function* failing() {
    yield Buffer.alloc(1_000_000)
    throw new Error('unreadable')
  }
  const write = (content: Readable, name: string) => writeBackupFile([content], name, { target, recipients })
  await expect(write(Readable.from(failing()), 'cut')).rejects.toThrow('unreadable')
  writeFileSync(join(bin, 'age'), '#!/bin/sh\nhead -c 100000\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`)
  await expect(write(Readable.from([largest]), 'short')).rejects.toThrow()
  writeFileSync(join(bin, 'age'), '#!/bin/sh\nhead -c 100000\ncat > /dev/null\nkill -9 $$\n', { mode: 0o755 })
  await expect(write(Readable.from([largest]), 'killed')).rejects.toThrow('age: exit code null')
  expect(readdirSync(target).toSorted()).toEqual(['cut.age', 'killed.age', 'short.age'])
})
