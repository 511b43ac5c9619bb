import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { arrayText } from './array-text.ts'

const { db } = await createTestDatabase()

/** The array as Postgres parses it. */
async function readBack(values: readonly unknown[], type: string): Promise<unknown> {
  const { rows } = await sql<{ read: unknown }>`
    select ${arrayText(values)}::${sql.raw(type)}[] as read`.execute(db)
  return rows[0]?.read
}

test.each([
  ['texts', ['plain', '', ' ', 'NULL', 'a,b', '{}', '"', '\\', '\\"', 'line\nbreak', 'é🙂', "'"], 'text'],
  ['nothing', [], 'text'],
  ['a lack of a value', [null, 'null', null], 'text'],
  ['numbers', [0, -1, 2 ** 31 - 1], 'int'],
  ['times', [new Date(0), new Date('2026-02-03T04:05:06.789Z')], 'timestamptz'],
  ['bytes', [Buffer.from([0, 255, 34, 92]), Buffer.alloc(0)], 'bytea'],
])('an array of %s is read as it was', async (_, values, type) => {
  expect(await readBack(values, type)).toEqual(values)
})

test('an element without a text form is refused before it is sent', () => {
  expect(() => arrayText([{ of: 'an object' }])).toThrow('no text form in Postgres')
})
