import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonLines } from './json-lines.ts'

test('the text is JSON of the same value, in the same order', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const plain = JSON.stringify(value)
      expect(JSON.stringify(JSON.parse(jsonLines(JSON.parse(plain))))).toBe(plain)
    }),
  )
})

test('a value that fits takes one line, and so does a long one with no more than an object in an object', () => {
  const short = { type: 'string', in: ['a', { b: 1 }], empty: {} }
  expect(jsonLines(short)).toBe('{ "type": "string", "in": ["a", { "b": 1 }], "empty": {} }')
  const long = { description: 'x'.repeat(200), schema: { enum: ['a', 'b'] } }
  const line = `{ "description": "${long.description}", "schema": { "enum": ["a", "b"] } }`
  expect(jsonLines({ long, list: [1] })).toBe(`{\n  "long": ${line},\n  "list": [1]\n}`)
  expect(jsonLines([long, {}])).toBe(`[\n  ${line},\n  {}\n]`)
})
