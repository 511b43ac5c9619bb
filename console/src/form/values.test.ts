import { runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { describe, expect, test } from 'vitest'
import { textOfValue, valueOfText } from './cell-value.ts'
import { initialValue, withDefaults } from './defaults.ts'
import { exactNumber, losesDigits } from './exact-number.ts'
import { areEqual, type Json, valueAt, withValueAt } from './json.ts'
import { KindMemory } from './kind-memory.ts'
import { parsedJson } from './parsed-json.ts'
import { pastedList, pastedRows } from './pasted.ts'
import { planForm } from './plan.ts'
import { problemsByField } from './problems.ts'
import { rowsOfCsv } from './table-import.ts'

describe('a value is replaced at a path', () => {
  test.each<[Json | undefined, (string | number)[], Json | undefined, Json]>([
    [undefined, ['a', 'b'], 1, { a: { b: 1 } }],
    [{ a: 1, b: 2 }, ['a'], undefined, { b: 2 }],
    [{ a: 1, b: 2 }, ['a'], 3, { a: 3, b: 2 }],
    [[1, 2, 3], [1], undefined, [1, 3]],
    [[1], [1], 2, [1, 2]],
    [{ rows: [{ x: 1 }] }, ['rows', 0, 'y'], 2, { rows: [{ x: 1, y: 2 }] }],
  ])('%j at %j', (value, path, next, expected) => {
    expect(withValueAt(value, path, next)).toEqual(expected)
  })

  test('and its order and its names stay, whatever they are', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"b":2}') as Json
    const next = withValueAt(value, ['__proto__', 'a'], 5)
    expect(JSON.stringify(next)).toBe('{"__proto__":{"a":5},"b":2}')
    expect(valueAt(next, ['__proto__', 'a'])).toBe(5)
    expect(valueAt({}, ['constructor', 'name'])).toBeUndefined()
  })

  test('and is equal to a value of the same content in any order', () => {
    expect(areEqual({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] })).toBe(true)
    expect(areEqual({ a: 1 }, { a: 1, b: 2 })).toBe(false)
    expect(areEqual([], {})).toBe(false)
  })
})

describe('a form begins with', () => {
  test('defaults, constants and the required parts, and no optional field', () => {
    const schema = {
      properties: {
        name: { type: 'string' },
        size: { type: 'integer', default: 5 },
        kind: { const: 'report' },
        isFast: { type: 'boolean' },
        inner: { properties: { on: { type: 'boolean', default: true } } },
        away: { properties: { far: { default: 1 } } },
        list: { type: 'array', items: { type: 'string' } },
      },
      required: ['name', 'kind', 'isFast', 'inner', 'list'],
    }
    expect(initialValue(schema)).toEqual({
      size: 5,
      kind: 'report',
      isFast: false,
      inner: { on: true },
      list: [],
    })
  })

  test('the defaults of fields that its own values bring', () => {
    const schema = {
      properties: { kind: { default: 'a' } },
      if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
      ...JSON.parse('{"then":{"properties":{"more":{"default":7}}}}'),
    }
    expect(initialValue({ type: 'object', ...schema })).toEqual({ kind: 'a', more: 7 })
  })

  test('the defaults of a part when it is added', () => {
    const schema = { properties: { a: { default: 1 }, b: { properties: { c: { default: 2 } } } } }
    expect(withDefaults(schema, { b: {} }, ['b'])).toEqual({ b: { c: 2 } })
  })
})

test('numbers are exact or none', () => {
  expect(
    ['5', ' -1.50 ', '1e3', '9007199254740993', '1e400', '1,5', '0x10', '', '--1'].map(exactNumber),
  ).toEqual([...[5, -1.5, 1000, undefined, undefined, undefined, undefined, undefined, undefined]])
  expect(['9007199254740993', '1e400', '5', 'x'].map(losesDigits)).toEqual([true, true, false, false])
})

describe('pasted text', () => {
  test('of a spreadsheet has rows and cells', () => {
    expect(pastedRows('a\tb\r\n1\t"x\t""y""\nz"\n')).toEqual([
      ['a', 'b'],
      ['1', 'x\t"y"\nz'],
    ])
    expect(pastedRows('a\t\n\tb')).toEqual([
      ['a', ''],
      ['', 'b'],
    ])
  })

  test('of several lines is a list, and of one is none', () => {
    expect(pastedList('one\ntwo\n')).toEqual(['one', 'two'])
    expect(pastedList('one\n')).toBeUndefined()
  })

  test('costs time in proportion to its length', () => {
    const before = performance.now()
    pastedRows('"'.repeat(200_000))
    pastedRows('a\t'.repeat(100_000))
    expect(performance.now() - before).toBeLessThan(2000)
  })

  test('becomes what the column holds, and stays text where it does not fit', () => {
    const columns = planForm(
      {
        properties: {
          n: { type: 'integer' },
          f: { type: 'boolean' },
          c: { enum: [1, 'b'] },
          t: { type: 'string' },
        },
      },
      {},
    ).fields.slice(1)
    const values = (text: string) => columns.map((column) => valueOfText(column, text))
    expect(values('1')).toEqual([1, true, 1, '1'])
    expect(values('x')).toEqual(['x', 'x', 'x', 'x'])
    expect(values('')).toEqual([undefined, undefined, undefined, undefined])
  })
})

test('a cell shows text as it is, and other values as JSON', () => {
  expect(['a', 1, null, { b: [true] }, undefined].map(textOfValue)).toEqual([
    'a',
    '1',
    'null',
    '{"b":[true]}',
    '',
  ])
})

test('problems are shown at the innermost field that has the value', () => {
  const schema = {
    properties: {
      name: { type: 'string' },
      rows: { type: 'array', items: { properties: { id: { type: 'integer' } } } },
    },
    required: ['rows'],
  }
  const { fields } = planForm(schema, { rows: [{ id: 'x' }] })
  const problem = (...at: (string | number)[]) => ({ at, rule: 'type', words: 'is wrong' })
  const shown = problemsByField(fields, [problem('name'), problem('rows', 0, 'id'), problem()])
  expect(shown.map(({ field, within }) => [field.path, within])).toEqual([
    [['name'], []],
    [['rows'], [0, 'id']],
    [[], []],
  ])
})

test('rows of a file go to the columns that its first line names', () => {
  const properties = { id: { type: 'integer', title: 'Number' }, name: { type: 'string' } }
  const columns = planForm({ properties }, {}).fields.slice(1)
  expect(rowsOfCsv('\ufeffNAME;number;other\nAda;1;x\n"B;b";;y\n', columns)).toEqual([
    { name: 'Ada', id: 1 },
    { name: 'B;b' },
  ])
  expect(rowsOfCsv('', columns)).toEqual([])
})

describe('text of JSON', () => {
  const parsed = (text: string) => parsedJson(text, runInputBounds)

  test('is read as the service reads it', () => {
    expect(parsed('{"a": [1]}')).toEqual({ kind: 'parsed', value: { a: [1] } })
    expect(parsed(' \n')).toEqual({ kind: 'parsed', value: undefined })
  })

  test.each([
    ['{"a": 1,\n"a": 2}', 2, 'duplicate_key'],
    ['[9007199254740993]', 1, 'number_not_exact'],
    ['{\n\n"ü": x}', 3, 'bad_syntax'],
  ])('%j is refused with its line', (text, line, refusal) => {
    expect(parsed(text)).toEqual({ kind: 'refused', line, refusal })
  })
})

test('another kind keeps the common fields, and the first kind is as it was when it comes back', () => {
  const schema = {
    properties: { note: { type: 'string' } },
    oneOf: [{ properties: { card: { type: 'string' } } }, { properties: { bill: { type: 'string' } } }],
  }
  const kinds = new KindMemory()
  const field = () => {
    const { root } = planForm(schema, {}, kinds.chosen)
    if (root.kind !== 'kinds') throw new Error('not a choice of kinds')
    return root
  }
  const bill = kinds.choose(field(), 1, { note: 'a', card: '123' })
  expect(bill).toEqual({ note: 'a' })
  expect(field().chosen).toBe(1)
  expect(kinds.choose(field(), 0, { note: 'b', bill: 'x' })).toEqual({ note: 'b', card: '123' })
})
