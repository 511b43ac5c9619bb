import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { exitCodes } from '../service-problem.ts'
import { setUpDatabase } from './database-setup.ts'

const { db, url } = await createTestDatabase()
const lines: string[] = []
const setUp = () =>
  setUpDatabase(
    {
      argv: [process.execPath, join(import.meta.dirname, '../../prepare-database.ts')],
      account: undefined,
      env: (ownerUrl) => ({ DATABASE_URL: ownerUrl }),
      onLine: (line) => lines.push(line),
      signal: new AbortController().signal,
    },
    { owner: url, api: url, worker: url, operator: url },
  )

test('a database from before the first release is refused, and the error says where to read what to do', async () => {
  await setUp()
  await sql`update kysely_migration set name = '0070-baseline'`.execute(db)
  await expect(setUp()).rejects.toMatchObject({ exitCode: exitCodes.dataFolder })
  expect(lines.join('\n')).toContain('docs/operations/upgrade.md')
  expect(lines.join('\n')).toContain('"error":"schema_before_first_release"')
})
