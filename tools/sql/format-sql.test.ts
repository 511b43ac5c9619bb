import { expect, test } from 'vitest'
import { formatSql } from './format-sql.ts'
import { printedStatements } from './statements.ts'

test('a query in parentheses stands further in where it does not fit its line', () => {
  const long = 'a_long_name_of_a_column, another_long_name_of_a_column, and_another_long_name_of_a_column'
  expect(
    formatSql(`with one as (select ${long}
      from things -- not all
      where a between 1 and 2 or b in (1, 2)), two as (select 1) update t set a = 'from  b' from one`),
  ).toBe(`with one as (
  select ${long}
  from things
    -- not all
  where a between 1 and 2 or b in (1, 2)
),
two as (select 1)
update t
set a = 'from  b'
from one`)
})

test('nothing follows a comment in its line', () => {
  expect(formatSql('select a from t where b\n-- why\nand c limit 1')).toBe(
    'select a\nfrom t\nwhere b\n  -- why\n  and c\nlimit 1',
  )
})

test('only whitespace changes', () => {
  const bare = (text: string) => text.replaceAll(/\s+/g, '')
  for (const { sql } of Object.values(printedStatements).flat()) expect(bare(formatSql(sql))).toBe(bare(sql))
})
