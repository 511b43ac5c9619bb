import { type QueryExecutorProvider, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { settleAll } from '../../base/settle-all.ts'
import { pipelinedTransaction } from './pipelined-transaction.ts'
import { prepared } from './prepared.ts'

const { db } = await createTestDatabase()

const lock = prepared<{ key: number }, unknown>(
  ({ key }) => sql`select pg_advisory_xact_lock(7299, ${key}::int)`,
)
const insert = prepared<{ text: string }, never>(
  ({ text }) => sql`insert into pipelined_texts values (${text}) returning text`,
)
const all = prepared<{ prefix: string }, { text: string }>(
  ({ prefix }) => sql`select text from pipelined_texts where text like ${prefix}::text || '%' order by text`,
)
const fail = prepared<{ text: string }, never>(({ text }) => sql`select ${text}::text::int`)

beforeEach(async () => {
  await sql`drop table if exists pipelined_texts`.execute(db)
  await sql`create table pipelined_texts (text text primary key)`.execute(db)
})

const texts = async (trx: QueryExecutorProvider = db) =>
  (await all(trx, { prefix: '' })).map(({ text }) => text)

describe('a pipelined transaction', () => {
  it('commits and returns the result of its write', async () => {
    const written = pipelinedTransaction(db, {
      read: (trx) => texts(trx),
      write: async (trx, seen) => {
        await insert(trx, { text: 'a' })
        return seen
      },
    })
    expect(await written).toEqual([])
    expect(await texts()).toEqual(['a'])
  })

  it('reads after a lock what was committed while it waited', async () => {
    const both = Array.from({ length: 8 }, () =>
      pipelinedTransaction(db, {
        read: (trx) => settleAll([lock(trx, { key: 1 }), texts(trx)]),
        write: (trx, [, seen]) => insert(trx, { text: `${seen.length}` }),
      }),
    )
    await Promise.all(both)
    expect(await texts()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  })

  it('changes nothing if its read fails, and keeps the connection usable', async () => {
    const refused = pipelinedTransaction(db, {
      read: (trx) => settleAll([fail(trx, { text: 'none' }), texts(trx)]),
      write: (trx) => insert(trx, { text: 'a' }),
    })
    await expect(refused).rejects.toMatchObject({ code: '22P02' })
    expect(await texts()).toEqual([])
  })

  it('refuses a write statement that waited for another one, which would run outside the transaction', async () => {
    const refused = pipelinedTransaction(db, {
      read: async () => undefined,
      write: async (trx) => {
        await insert(trx, { text: 'a' })
        await insert(trx, { text: 'b' })
      },
    })
    await expect(refused).rejects.toThrow('after the end of its pipelined transaction')
    expect(await texts()).toEqual(['a'])
  })

  it('changes nothing if a write statement fails, and reports why', async () => {
    const refused = pipelinedTransaction(db, {
      read: async () => undefined,
      write: (trx) => settleAll([insert(trx, { text: 'a' }), insert(trx, { text: 'a' })]),
    })
    await expect(refused).rejects.toMatchObject({ code: '23505' })
    expect(await texts()).toEqual([])
  })
})
