import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { baselineParts } from '../../../db/baseline.ts'
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
    { owner: url, api: url, worker: url },
  )

test('a database of a release that is too old is refused, and the error says what to do', async () => {
  await setUp()
  await sql`delete from kysely_migration`.execute(db)
  await sql`insert into kysely_migration (name, timestamp) values (${baselineParts[0]}, 'x')`.execute(db)
  await expect(setUp()).rejects.toMatchObject({ exitCode: exitCodes.dataFolder })
  expect(lines.join('\n')).toContain('install the release before this one')
  expect(lines.join('\n')).toContain('"error":"schema_too_old"')
})
