import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'
import { systemClock } from '../../../base/clock.ts'
import { backUp } from '../back-up.ts'
import { rowsFile } from '../database/dump-database.ts'
import type { Manifest } from '../manifest.ts'
import { tryRestore } from './try-restore.ts'

const { db } = await createTestDatabase()
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
  made = await backUp({ db, dataDir, target: source, release: '1', clock: systemClock, say: () => undefined })
})
afterAll(() => rmSync(parent, { recursive: true, force: true }))

const attempt = (signal = new AbortController().signal) => tryRestore({ source, scratch, server: {}, signal })

test('a backup is restored into a database of its own, which is removed, as is that of a killed trial', async () => {
  mkdirSync(join(scratch, 'cluster'), { recursive: true })
  const rows = made.tables.reduce((sum, table) => sum + table.rows, 0)
  expect(await attempt()).toEqual({ rows, files: made.files })
  expect(existsSync(scratch)).toBe(false)
})

test('a trial that is stopped leaves no database', async () => {
  const stopping = new AbortController()
  const trial = attempt(stopping.signal)
  stopping.abort()
  await expect(trial).rejects.toThrow()
  expect(existsSync(scratch)).toBe(false)
})

test('a backup with a damaged file is not restored', async () => {
  const path = join(source, rowsFile('companies'))
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, bytes.length - 4))
  await expect(attempt()).rejects.toThrow('companies.rows.gz was changed')
})
