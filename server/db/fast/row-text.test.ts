import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { type ColumnExpressions, RowText, selectList } from './row-text.ts'

const { db } = await createTestDatabase()

interface Sample {
  word: string
  count: number
  flag: boolean | null
  words: string[]
  at: Date | null
}

const drawn = fc.record<Sample>({
  word: fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
  count: fc.maxSafeInteger(),
  flag: fc.option(fc.boolean()),
  words: fc.array(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))),
  at: fc.option(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })),
})

/** The row by its columns as the driver reads them, and its text. */
async function stored(row: Sample): Promise<{ row: Sample; text: string }> {
  const columns: ColumnExpressions<Sample> = {
    word: sql`${row.word}::text`,
    count: sql`${row.count}::bigint`,
    flag: sql`${row.flag}::boolean`,
    words: sql`${row.words}::text[]`,
    at: sql`${row.at}::timestamptz`,
  }
  const rowText = new RowText<Sample>(columns, { at: true })
  const { rows } = await sql<Sample & { text: string }>`
    select ${selectList(columns)}, ${rowText.sql} as text`.execute(db)
  const [{ text, ...read }] = rows as [Sample & { text: string }]
  expect(rowText.read(text)).toEqual(read)
  expect(text).not.toContain('\n')
  return { row: read, text }
}

test('a row parsed from its text equals the row read from its columns', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async (row) => {
      expect((await stored(row)).row).toEqual(row)
    }),
  )
})

test('texts are equal exactly if rows are equal', async () => {
  await fc.assert(
    fc.asyncProperty(
      drawn,
      drawn,
      fc.constantFrom('word', 'count', 'flag', 'words', 'at'),
      async (a, b, name) => {
        const changed = { ...a, [name]: b[name] }
        const [one, other] = [await stored(a), await stored(changed)]
        expect(one.text === other.text).toBe(JSON.stringify(a[name]) === JSON.stringify(b[name]))
      },
    ),
  )
})
