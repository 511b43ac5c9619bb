import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { exitCodes } from '../service-problem.ts'
import { setUpDatabase } from './database-setup.ts'

const { db, url } = await createTestDatabase()
const lines: string[] = []
beforeEach(() => {
  lines.length = 0
})
const setUp = (settings: NodeJS.ProcessEnv = {}) =>
  setUpDatabase(
    {
      argv: [process.execPath, join(import.meta.dirname, '../../prepare-database.ts')],
      account: undefined,
      env: (ownerUrl) => ({ DATABASE_URL: ownerUrl, ...settings }),
      onLine: (line) => lines.push(line),
      signal: new AbortController().signal,
    },
    { owner: url, api: url, worker: url, operator: url },
  )

test('a database that allows fewer connections than the processes may have is refused, and the error says what to set', async () => {
  await expect(setUp({ SANDBOX_DATABASE_POOL_SIZE: '200' })).rejects.toMatchObject({
    exitCode: exitCodes.configuration,
  })
  expect(lines.join('\n')).toContain('set SANDBOX_DATABASE_POOL_SIZE to ')
})

test('a database from before the first release is refused, and the error says where to read what to do', async () => {
  await setUp()
  await sql`update kysely_migration set name = '0070-baseline'`.execute(db)
  await expect(setUp()).rejects.toMatchObject({ exitCode: exitCodes.dataFolder })
  expect(lines.join('\n')).toContain('docs/operations/upgrade.md')
  expect(lines.join('\n')).toContain('"error":"schema_before_first_release"')
})
