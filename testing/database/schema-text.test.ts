import { readFileSync } from 'node:fs'
import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import { schemaDocument, schemaText } from './schema-text.ts'
import { createTestDatabase } from './test-database.ts'

const { db } = await createTestDatabase()
const change = (statement: string) => db.executeQuery(CompiledQuery.raw(statement))

// First: the others change the schema.
test('docs/schema.sql is what `npm run schema` writes', async () => {
  const written = readFileSync(new URL('../../docs/schema.sql', import.meta.url), 'utf8')
  expect(written).toBe(await schemaDocument(db))
})

test('every change of a table, its indexes, its triggers and its functions changes the text', async () => {
  const texts = [await schemaText(db)]
  for (const statement of [
    'alter table removal_failures alter column attempts set default 1',
    'alter table removal_failures alter column next_at drop not null',
    'alter table removal_failures rename constraint removal_failures_thing_not_null to named',
    'alter table removal_failures drop constraint removal_failures_attempts_check',
    'alter table removal_failures add constraint later check (attempts >= 1) not valid',
    'alter table removal_failures add column more text collate "C"',
    'alter table removal_failures set unlogged',
    'drop index removal_failures_age',
    'drop trigger operator_acts_kept on operator_acts',
    'create or replace function keep_operator_acts() returns trigger language plpgsql as $$ begin return new; end $$',
    'drop view kept_sources',
  ]) {
    await change(statement)
    texts.push(await schemaText(db))
  }
  expect(new Set(texts).size).toBe(texts.length)
})

test('an object that the text cannot show is an error', async () => {
  for (const [statement, named, undo] of [
    ['create sequence numbers', 'numbers (relation of kind S)', 'drop sequence numbers'],
    ["create type colour as enum ('red')", 'colour (type)', 'drop type colour'],
    [
      'alter table runs disable trigger count_ended_run',
      'count_ended_run (disabled trigger)',
      'alter table runs enable trigger count_ended_run',
    ],
    [
      'alter table runs enable row level security',
      'runs (relation of kind r)',
      'alter table runs disable row level security',
    ],
    [
      'alter table run_inputs alter column content set storage external',
      'run_inputs.content (storage of a column)',
      'alter table run_inputs alter column content set storage extended',
    ],
  ] as const) {
    await change(statement)
    await expect(schemaText(db)).rejects.toThrow(named)
    await change(undo)
  }
  await schemaText(db)
})
