import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'
import { systemClock } from '../../../base/clock.ts'
import { backUp } from '../back-up.ts'
import { rowsFile } from '../database/dump-database.ts'
import type { Manifest } from '../manifest.ts'
import { type RestoreTrial, tryRestore } from './try-restore.ts'

const { db } = await createTestDatabase()
const run = promisify(execFile)
let parent: string
let source: string
let scratch: string
let made: Manifest

beforeAll(async () => {
  await makeTenant(db)
  parent = mkdtempSync(join(tmpdir(), 'sandbox-test-trial-'))
  // For the account of Postgres.
  chmodSync(parent, 0o755)
  const dataDir = join(parent, 'data')
  for (const name of ['keys', 'objects']) mkdirSync(join(dataDir, name), { recursive: true })
  source = join(parent, 'backup')
  scratch = join(parent, 'scratch')
  const options = { db, dataDir, release: '1', clock: systemClock, say: () => undefined }
  made = await backUp({ ...options, target: source, recipients: [] })
  await run('age-keygen', ['--output', identityFile()])
  const { stdout: recipient } = await run('age-keygen', ['-y', identityFile()])
  await backUp({ ...options, target: encrypted(), recipients: [recipient.trim()] })
})
afterAll(() => rmSync(parent, { recursive: true, force: true }))

const encrypted = () => join(parent, 'encrypted')
const identityFile = () => join(parent, 'identity')
const attempt = (more: Partial<RestoreTrial> = {}) =>
  tryRestore({
    ...{ source, scratch, server: {}, identityFile: undefined, signal: new AbortController().signal },
    ...more,
  })

test('a backup is restored into a database of its own, which is removed, as is that of a killed trial', async () => {
  mkdirSync(join(scratch, 'cluster'), { recursive: true })
  const rows = made.tables.reduce((sum, table) => sum + table.rows, 0)
  expect(await attempt()).toEqual({ rows, files: made.files })
  expect(existsSync(scratch)).toBe(false)
})

test('a trial that is stopped leaves no database', async () => {
  const stopping = new AbortController()
  const trial = attempt({ signal: stopping.signal })
  stopping.abort()
  await expect(trial).rejects.toThrow()
  expect(existsSync(scratch)).toBe(false)
})

test('an encrypted backup is restored with an identity, and without one it is read', async () => {
  const rows = made.tables.reduce((sum, table) => sum + table.rows, 0)
  expect(await attempt({ source: encrypted(), identityFile: identityFile() })).toEqual({
    rows,
    files: made.files,
  })
  expect(await attempt({ source: encrypted() })).toEqual({ rows: undefined, files: made.files })
  await expect(attempt({ source: encrypted(), identityFile: join(parent, 'none') })).rejects.toThrow(
    'none cannot be read (ENOENT)',
  )
})

test('a backup with a damaged file is not restored', async () => {
  const path = join(source, rowsFile('companies'))
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, bytes.length - 4))
  await expect(attempt()).rejects.toThrow('companies.rows.gz was changed')
})
