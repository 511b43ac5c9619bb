import { expect, test } from 'vitest'
import { convertedSchema } from './draft-07-schema.ts'

const draft07 = 'http://json-schema.org/draft-07/schema#'
const convert = (schema: object) => convertedSchema(JSON.stringify(schema), 'task.yaml')

test('the line of the MCP SDK is changed, and nothing else', () => {
  const text = `{ "$schema" : "${draft07}", "type": "object",\n "properties": { "n": { "maximum": 9223372036854775807 } } }`
  const { text: converted, notes } = convertedSchema(text, 'task.yaml')
  expect(converted).toBe(text.replace(draft07, 'https://json-schema.org/draft/2020-12/schema'))
  expect(notes).toEqual([expect.stringContaining('published as draft 2020-12')])
})

test('a schema of another or no draft stays as it is', () => {
  for (const schema of [{}, { $schema: 'http://json-schema.org/draft-04/schema#' }, { dependencies: {} }]) {
    expect(convert(schema)).toEqual({ text: JSON.stringify(schema), notes: [] })
  }
  expect(convertedSchema('not JSON', 'task.yaml')).toEqual({ text: 'not JSON', notes: [] })
})

test.each([
  ['items', { items: [{}] }, '/properties/a/items: a list of schemas is prefixItems'],
  ['dependencies', { dependencies: { a: ['b'] } }, '/properties/a/dependencies: write dependentRequired'],
  ['a sibling of $ref', { $ref: '#', minLength: 1 }, '/properties/a/$ref: draft-07 ignores minLength'],
  [
    'a later keyword',
    { unevaluatedProperties: false },
    '/properties/a/unevaluatedProperties: draft-07 ignores',
  ],
  ['a fragment as $id', { $id: '#a' }, '/properties/a/$id: it is $anchor'],
])('what means something else is named with its place: %s', (_, part, words) => {
  expect(() => convert({ $schema: draft07, properties: { a: part } })).toThrow(words)
})

test('names of fields, values and annotations are no keywords', () => {
  const schema = {
    $schema: draft07,
    properties: { dependencies: { type: 'string' }, r: { $ref: '#/definitions/d', description: 'x' } },
    definitions: { d: { enum: [{ items: [] }], default: { dependencies: {} } } },
  }
  expect(convert(schema).notes).toHaveLength(1)
})

test('nullable has no effect, which is said', () => {
  const { notes } = convert({ properties: { n: { type: 'string', nullable: true } } })
  expect(notes).toEqual([
    expect.stringMatching(/^\/properties\/n\/nullable .* write type: \[string, "null"\]\.$/),
  ])
})
