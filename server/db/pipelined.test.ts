import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { allEnded } from '../base/all-ended.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import type { Sending } from './database.ts'
import { pipelined } from './pipelined.ts'
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

const texts = async (trx: Sending = db) => (await all(trx, { prefix: '' })).map(({ text }) => text)

describe('a pipelined transaction', () => {
  it('is committed with what its second half gives', async () => {
    const written = pipelined(db, {
      read: (trx) => texts(trx),
      write: async (trx, seen) => {
        await insert(trx, { text: 'a' })
        return seen
      },
    })
    expect(await written).toEqual([])
    expect(await texts()).toEqual(['a'])
  })

  it('sees behind a lock what was committed while it waited', async () => {
    const both = Array.from({ length: 8 }, () =>
      pipelined(db, {
        read: (trx) => allEnded([lock(trx, { key: 1 }), texts(trx)]),
        write: (trx, [, seen]) => insert(trx, { text: `${seen.length}` }),
      }),
    )
    await Promise.all(both)
    expect(await texts()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  })

  it('changes nothing when its first half fails, and leaves a connection that works', async () => {
    const refused = pipelined(db, {
      read: (trx) => allEnded([fail(trx, { text: 'none' }), texts(trx)]),
      write: (trx) => insert(trx, { text: 'a' }),
    })
    await expect(refused).rejects.toMatchObject({ code: '22P02' })
    expect(await texts()).toEqual([])
  })

  it('refuses a statement of its second half that waited for another, which would be outside of it', async () => {
    const refused = pipelined(db, {
      read: async () => undefined,
      write: async (trx) => {
        await insert(trx, { text: 'a' })
        await insert(trx, { text: 'b' })
      },
    })
    await expect(refused).rejects.toThrow('after the end of its pipelined transaction')
    expect(await texts()).toEqual(['a'])
  })

  it('changes nothing when a statement of its second half fails, and tells why', async () => {
    const refused = pipelined(db, {
      read: async () => undefined,
      write: (trx) => allEnded([insert(trx, { text: 'a' }), insert(trx, { text: 'a' })]),
    })
    await expect(refused).rejects.toMatchObject({ code: '23505' })
    expect(await texts()).toEqual([])
  })
})
