import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { prepared } from './prepared.ts'

const { db } = await createTestDatabase()

test('each execution supplies its values to all placeholders of a text that was compiled once', async () => {
  let made = 0
  const behind = prepared<{ low: number; names: string[] }, { name: string; place: number }>(
    ({ low, names }) => {
      made += 1
      return sql`
        select requested.name, requested.place + ${low}::int - ${low}::int as place, ${'fixed'} as fixed
        from unnest(${names}::text[]) with ordinality as requested (name, place) where requested.place > ${low}::int`
    },
  )
  const found = await Promise.all([
    behind(db, { low: 1, names: ['a', 'b', 'c'] }),
    behind(db, { low: 0, names: ['d'] }),
  ])
  expect(found).toEqual([
    [
      { name: 'b', place: 2, fixed: 'fixed' },
      { name: 'c', place: 3, fixed: 'fixed' },
    ],
    [{ name: 'd', place: 1, fixed: 'fixed' }],
  ])
  expect(made).toBe(1)
})

test('a prepared statement executes in the given transaction', async () => {
  const companies = prepared<{ name: string }, { id: string }>(
    ({ name }) => sql`select id from companies where name = ${name}`,
  )
  await db
    .transaction()
    .execute(async (trx) => {
      await trx.insertInto('companies').values({ id: 'cmp_1', name: 'held' }).execute()
      expect(await companies(trx, { name: 'held' })).toEqual([{ id: 'cmp_1' }])
      expect(await companies(db, { name: 'held' })).toEqual([])
      throw new Error('undone')
    })
    .catch((error: Error) => expect(error.message).toBe('undone'))
})
