import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Kysely, sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
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
  '9998-expand-more': {
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
    expect(await listMigrations(db)).toEqual([...Object.keys(migrations), ...Object.keys(later)])
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
  [
    'that a later release has contracted',
    [...Object.keys(migrations), '9998-expand-more', '9999-contract-less'],
    'schema_of_later_release',
  ],
])('a database %s is refused, and nothing in it changes', async (_name, recorded, slug) => {
  const db = await databaseThatApplied(recorded)
  const before = await contentOf(db)
  await expect(migrate(db)).rejects.toMatchObject({ slug })
  await expect(awaitSchema(db, log)).rejects.toMatchObject({ slug })
  expect(await contentOf(db)).toEqual(before)
})

test('a database to which a later release has only added is used as it is', async () => {
  const db = await databaseThatApplied(Object.keys(migrations))
  await migrate(db, { ...migrations, ...later })
  const before = await contentOf(db)
  await migrate(db)
  await awaitSchema(db, log)
  expect(await contentOf(db)).toEqual(before)
})

/** Adds a table in each of three steps, and stops for ever in one of them. */
const stopping = (url: string, stopIn: string) => `
  import { sql } from 'kysely'
  import { createLog } from '${import.meta.dirname}/../base/logging.ts'
  import { connect } from '${import.meta.dirname}/database.ts'
  import { migrate, migrations } from '${import.meta.dirname}/migrate.ts'
  const step = (name) => ({
    up: async (db) => {
      await sql.raw('create table step_' + name + ' ()').execute(db)
      if (name !== '${stopIn}') return
      console.log('stopped')
      await new Promise(() => setInterval(() => {}, 1000))
    },
  })
  const db = connect('${url}', { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
  await migrate(db, { ...migrations, '9996-expand-a': step('a'), '9997-expand-b': step('b'), '9998-expand-c': step('c') })
`

describe('a start that is killed', () => {
  let db: Database
  let url: string
  beforeAll(async () => {
    const database = await createTestDatabase()
    db = database.db
    url = database.url
  })

  test.each(['a', 'b', 'c'])('in step %s changes nothing', async (stopIn) => {
    const argv = ['--input-type=module', '--eval', stopping(url, stopIn)]
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(child.stdout, 'data')
    expect(String(line)).toBe('stopped\n')
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(await listMigrations(db)).toEqual(Object.keys(migrations))
    const { rows } = await sql`select relname from pg_class where relname like 'step_%'`.execute(db)
    expect(rows).toEqual([])
  })

  test('leaves the lock to the next one, which migrates', async () => {
    await migrate(db, { ...migrations, ...later })
    expect(await listMigrations(db)).toEqual([...Object.keys(migrations), ...Object.keys(later)])
  })
})
