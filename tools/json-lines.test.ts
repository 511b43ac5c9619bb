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

test('a value that fits takes one line, and so does a long one without values within values', () => {
  const short = { type: 'string', in: ['a', { b: 1 }], empty: {} }
  expect(jsonLines(short)).toBe('{ "type": "string", "in": ["a", { "b": 1 }], "empty": {} }')
  const long = { description: 'x'.repeat(200), type: 'string' }
  expect(jsonLines({ long, list: [1] })).toBe(
    `{\n  "long": { "description": "${long.description}", "type": "string" },\n  "list": [1]\n}`,
  )
})
