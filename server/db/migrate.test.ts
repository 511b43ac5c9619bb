import { type Kysely, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { schemaText } from '../../testing/database/schema-text.ts'
import { createEmptyDatabase, createTestDatabase } from '../../testing/database/test-database.ts'
import { createLog } from '../base/logging.ts'
import { awaitSchema } from './await-schema.ts'
import { connect, type Database } from './database.ts'
import { firstMigration } from './first-schema.ts'
import { migrate, migrations } from './migrate.ts'
import { listMigrations } from './recorded-migrations.ts'

const log = createLog('test', 'silent')

/** A database with the present schema and another record of migrations. */
async function databaseThatApplied(names: readonly string[]): Promise<Database> {
  const { db } = await createTestDatabase()
  await sql`delete from kysely_migration`.execute(db)
  for (const [index, name] of names.entries()) {
    const at = new Date(index).toISOString()
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${at})`.execute(db)
  }
  return db
}

/** Schema and rows, with the transaction that wrote each row. */
async function contentOf(db: Database): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    order by 1`.execute(db)
  const content = [await schemaText(db)]
  for (const { name } of tables) {
    const { rows } = await sql`select xmin, t::text as row from ${sql.table(name)} t order by 2`.execute(db)
    content.push(`${name} ${JSON.stringify(rows)}`)
  }
  return content
}

const later = {
  '9998-more': {
    up: async (db: Kysely<unknown>) => {
      await sql`alter table tasks add column more text`.execute(db)
    },
  },
}

describe('a new database', () => {
  test('gets each migration once, also from two processes at once', async () => {
    const { db, url } = await createEmptyDatabase()
    const other = connect(url, { poolSize: 1, log, name: 'test' })
    await expect(awaitSchema(db, log)).rejects.toThrow(`lacks ${firstMigration}`)
    await Promise.all([db, other].map((each) => migrate(each)))
    await other.destroy()
    expect(await listMigrations(db)).toEqual(Object.keys(migrations))
    await awaitSchema(db, log)
  })

  test('gets a later migration, once', async () => {
    const { db } = await createEmptyDatabase()
    await migrate(db)
    for (let start = 0; start < 2; start += 1) await migrate(db, { ...migrations, ...later })
    expect(await listMigrations(db)).toEqual([...Object.keys(migrations), '9998-more'])
    expect(await schemaText(db)).toContain('  more text,\n')
  })
})

test.each([
  ['from before the first release', ['0001-platform', '0031-pulled-images'], 'schema_before_first_release'],
  [
    'from shortly before the first release',
    ['0070-baseline', '0080-state-watches'],
    'schema_before_first_release',
  ],
  ['with another text of the first schema', ['0001-schema-0123456789ab'], 'schema_before_first_release'],
  ['of a later release', [...Object.keys(migrations), '9999-later'], 'schema_of_later_release'],
])('a database %s is refused, and nothing in it changes', async (_name, recorded, slug) => {
  const db = await databaseThatApplied(recorded)
  const before = await contentOf(db)
  await expect(migrate(db)).rejects.toMatchObject({ slug })
  await expect(awaitSchema(db, log)).rejects.toMatchObject({ slug })
  expect(await contentOf(db)).toEqual(before)
})
