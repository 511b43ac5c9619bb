import { afterAll, expect, it } from 'vitest'
import { schemaProblem } from './schema-problems.ts'
import { SchemaThreads } from './schema-threads.ts'

const threads = new SchemaThreads()
afterAll(() => threads.close())

const messagesOf = async (schema: object | string): Promise<string[]> => {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema)
  const verdict = await threads.ask('cmp_1', { schema: text })
  return 'problems' in verdict ? verdict.problems.map((found) => schemaProblem(found).msg) : []
}

it.each([
  [
    'a bound of draft 4',
    { properties: { n: { minimum: 0, exclusiveMinimum: true } } },
    'input_schema.properties.n.exclusiveMinimum must be a number, the bound itself: true beside minimum is of draft 4',
  ],
  [
    'a bound of int64',
    '{"properties":{"id":{"type":"integer","maximum":9223372036854775807}}}',
    'input_schema.properties.id.maximum has more digits than a number of JSON can hold: leave the bound out',
  ],
  [
    'draft-07',
    { $schema: 'http://json-schema.org/draft-07/schema#' },
    'input_schema.$schema must be https://json-schema.org/draft/2020-12/schema: delete it',
  ],
  ['an unknown type', { type: 'text' }, 'input_schema.type must be string, number, integer'],
  ['required of draft 3', { properties: { a: { required: true } } }, 'a.required must be a list of names'],
  [
    'a list as items',
    { items: [{}] },
    'input_schema.items must be a schema: an object, true or false; a list',
  ],
  ['a field that is no schema', { properties: { type: 'string' } }, 'properties.type must be a schema'],
  ['a negative length', { minLength: -1 }, 'input_schema.minLength must be a whole number of at least 0'],
  ['a key twice', '{"a":{"b":1,"b":2}}', 'holds an object with the same key twice'],
])('names keyword, place and cure, in no words of a validator: %s', async (_, schema, words) => {
  const messages = await messagesOf(schema)
  expect(messages.join('\n')).toContain(words)
  expect(messages.join('\n')).not.toMatch(/meta-schema|breaks the rule/)
})

it('takes definitions of draft-07 where they are, which sandbox deploy relies on', async () => {
  const schema = {
    properties: { a: { $ref: '#/definitions/d' } },
    definitions: { d: { type: 'string' } },
  }
  const question = { schema: JSON.stringify(schema), instance: '{"a":1}' }
  expect(await threads.ask('cmp_1', question)).toMatchObject({ kind: 'instance_invalid' })
})
