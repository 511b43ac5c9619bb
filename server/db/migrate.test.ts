import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { schemaText } from '../../testing/database/schema-text.ts'
import { createEmptyDatabase } from '../../testing/database/test-database.ts'
import { createLog } from '../base/logging.ts'
import { awaitSchema } from './await-schema.ts'
import { baselineName, baselineParts } from './baseline.ts'
import { connect, type Database } from './database.ts'
import { migrate, migrations } from './migrate.ts'
import { listMigrations } from './recorded-migrations.ts'

const log = createLog('test', 'silent')

const { [baselineName]: baseline = { up: () => Promise.reject(new Error('no baseline')) } } = migrations
const onlyBaseline = { [baselineName]: baseline }
/** Names of the migrations after the baseline. */
const afterBaseline = Object.keys(migrations).filter((name) => name !== baselineName)

/** A database with the schema of the baseline and another record of migrations. */
async function databaseThatApplied(names: readonly string[]): Promise<Database> {
  const { db } = await createEmptyDatabase()
  await migrate(db, onlyBaseline)
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

describe('a database that has applied the baseline in parts', () => {
  test('is adopted, and nothing in it changes', async () => {
    const db = await databaseThatApplied(baselineParts)
    const before = await contentOf(db)
    await migrate(db, onlyBaseline)
    expect(await contentOf(db)).toEqual(before)
    await migrate(db)
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

  test('applies the later migrations, each once', async () => {
    const db = await databaseThatApplied(baselineParts)
    for (let start = 0; start < 2; start += 1) await migrate(db, { ...migrations, ...later })
    expect(await listMigrations(db)).toEqual([...baselineParts, ...afterBaseline, '9998-more'])
    expect(await schemaText(db)).toContain('  more text,\n')
  })
})

describe('a new database', () => {
  test('has the schema of adopted databases: the baseline does not change', async () => {
    const { db } = await createEmptyDatabase()
    await migrate(db, onlyBaseline)
    const digest = createHash('sha256')
      .update(await schemaText(db))
      .digest('hex')
    // As the embedded Postgres prints it: another major version may have another digest.
    expect(digest).toBe('4559bb6e2ac4f36c8acda75099a243a5f2505f78c806310da98f6e22a713ca58')
  })

  test('gets the baseline and the later migrations, each once', async () => {
    const { db, url } = await createEmptyDatabase()
    const other = connect(url, { poolSize: 1, log, name: 'test' })
    await expect(awaitSchema(db, log)).rejects.toThrow(`lacks ${baselineName}`)
    await Promise.all([db, other].map((each) => migrate(each)))
    await other.destroy()
    expect(await listMigrations(db)).toEqual([baselineName, ...afterBaseline])
    await migrate(db, { ...migrations, ...later })
    expect(await listMigrations(db)).toEqual([baselineName, ...afterBaseline, '9998-more'])
    await awaitSchema(db, log)
  })

  test('is refused by an earlier release than the one that created it', async () => {
    const db = await databaseThatApplied([baselineName, '9999-later'])
    await expect(migrate(db)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('9999-later is missing') },
    })
  })
})
