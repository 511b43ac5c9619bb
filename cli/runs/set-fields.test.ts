import { expect, test } from 'vitest'
import { setFields } from './set-fields.ts'

const schema = JSON.stringify({
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    share: { type: 'number' },
    on: { type: 'boolean' },
    rows: { type: 'array' },
    more: { type: 'object' },
    either: { type: ['integer', 'string'] },
    none: { type: ['string', 'null'] },
    anything: {},
  },
})
const input = (text: string) => ({ value: JSON.parse(text) as unknown, text })
const set = (assignments: string[], of = '{}', by: string | null = schema) =>
  JSON.parse(setFields(input(of), assignments, by).text) as unknown

test('the schema of the task decides what a value is', () => {
  const values = [
    'text=7',
    'count=7',
    'share=0.5',
    'on=true',
    'rows=[1]',
    'more={"a":1}',
    'either=7',
    'none=null',
  ]
  expect(set(values)).toEqual({
    text: '7',
    count: 7,
    share: 0.5,
    on: true,
    rows: [1],
    more: { a: 1 },
    either: 7,
    none: null,
  })
  expect(set(['text={"a":1}', 'either=a=b', 'none=x'])).toEqual({ text: '{"a":1}', either: 'a=b', none: 'x' })
})

test('without its word a value is JSON, else text', () => {
  const values = ['anything=7', 'unknown="7"', 'name=Ada Lovelace', 'empty=']
  const expected = { anything: 7, unknown: '7', name: 'Ada Lovelace', empty: '' }
  expect(set(values)).toEqual(expected)
  expect(set(values, '{}', null)).toEqual(expected)
})

test('a value of another type is refused with what it must be', () => {
  for (const [assignment, words] of [
    ['count=1.5', 'a whole number'],
    ['count=many', 'a whole number'],
    ['on=yes', 'true or false'],
    ['rows=1,2', 'a list in JSON'],
    ['more=[]', 'an object in JSON'],
  ] as const) {
    expect(() => set([assignment])).toThrow(`must be ${words}`)
  }
  expect(() => set(['text'])).toThrow('has no name and value')
  expect(() => set(['=1'])).toThrow('has no name and value')
  expect(() => set(['a=1'], '[1]')).toThrow('no JSON object')
})

test('fields are added to the text of the input as it stands, and replace those that are there', () => {
  const long = '{ "id": 12345678901234567890 }\n'
  expect(setFields(input(long), ['count=7'], schema).text).toBe('{ "id": 12345678901234567890 ,"count":7}')
  expect(set(['count=7', 'count=8'], '{"count":1,"text":"a"}')).toEqual({ count: 8, text: 'a' })
  expect(setFields(input(long), [], schema).text).toBe(long)
})
