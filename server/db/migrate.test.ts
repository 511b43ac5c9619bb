import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createLog } from '../base/logging.ts'
import { schemaText } from '../testing/schema-text.ts'
import { createEmptyDatabase, createTestDatabase } from '../testing/test-database.ts'
import { awaitSchema } from './await-schema.ts'
import { baselineName, baselineParts } from './baseline.ts'
import { connect, type Database } from './database.ts'
import { migrate, migrations } from './migrate.ts'
import { listMigrations } from './recorded-migrations.ts'

const log = createLog('test', 'silent')

/** A database with the present schema and the record of one that was made otherwise. */
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
  '0071-more': {
    up: async (db: Kysely<unknown>) => {
      await sql`alter table tasks add column more text`.execute(db)
    },
  },
}

describe('a database that has applied the baseline in parts', () => {
  test('is adopted, and nothing in it changes', async () => {
    const db = await databaseThatApplied(baselineParts)
    const before = await contentOf(db)
    await migrate(db)
    expect(await contentOf(db)).toEqual(before)
    await awaitSchema(db, log)
  })

  test('is refused when a part is missing, and nothing in it changes', async () => {
    for (const names of [
      baselineParts.slice(0, 1),
      baselineParts.slice(0, -1),
      baselineParts.slice(1),
      baselineParts.filter((name) => name !== '0031-pulled-images'),
      [...baselineParts.slice(0, -1), '0071-more'],
    ]) {
      const missing = baselineParts.find((name) => !names.includes(name))
      const refused = {
        slug: 'schema_too_old',
        message: expect.stringContaining(`lacks ${missing}: install`),
      }
      const db = await databaseThatApplied(names)
      const before = await contentOf(db)
      await expect(migrate(db)).rejects.toMatchObject(refused)
      await expect(awaitSchema(db, log)).rejects.toMatchObject(refused)
      expect(await contentOf(db)).toEqual(before)
    }
  })

  test('takes the migrations after it, each once', async () => {
    const db = await databaseThatApplied(baselineParts)
    for (let start = 0; start < 2; start += 1) await migrate(db, { ...migrations, ...later })
    expect(await listMigrations(db)).toEqual([...baselineParts, '0071-more'])
    expect(await schemaText(db)).toContain('  more text,\n')
  })
})

describe('a new database', () => {
  test('has the schema of the databases that were adopted: the baseline does not change', async () => {
    const { db } = await createEmptyDatabase()
    const { [baselineName]: baseline } = migrations
    await migrate(db, baseline && { [baselineName]: baseline })
    const digest = createHash('sha256')
      .update(await schemaText(db))
      .digest('hex')
    // In the words of the embedded Postgres: another major version of it may have another digest.
    expect(digest).toBe('4559bb6e2ac4f36c8acda75099a243a5f2505f78c806310da98f6e22a713ca58')
  })

  test('gets the baseline and the migrations after it, each once', async () => {
    const { db, url } = await createEmptyDatabase()
    const other = connect(url, { poolSize: 1, log, name: 'test' })
    await expect(awaitSchema(db, log)).rejects.toThrow(`lacks ${baselineName}`)
    await Promise.all([db, other].map((each) => migrate(each)))
    await other.destroy()
    expect(await listMigrations(db)).toEqual([baselineName])
    await migrate(db, { ...migrations, ...later })
    expect(await listMigrations(db)).toEqual([baselineName, '0071-more'])
    await awaitSchema(db, log)
  })

  test('is refused by an earlier release than the one that made it', async () => {
    const db = await databaseThatApplied([baselineName, '9999-later'])
    await expect(migrate(db)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('9999-later is missing') },
    })
  })
})
