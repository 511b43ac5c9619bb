import { describe, expect, test } from 'vitest'
import { findInJson, keyOf, openAtStart, openTo, pathText, rowsOfJson } from './json-rows.ts'

const value = { name: 'Ada', list: [1, { deep: true }], empty: {} }
const labels = (open: ReadonlySet<string>) =>
  rowsOfJson(value, open).map(({ label, depth, size }) => [label, depth, size])

describe('rows', () => {
  test('are those of the parts that are open', () => {
    expect(labels(new Set())).toEqual([[undefined, 0, 3]])
    expect(labels(new Set(['[]', '["list"]']))).toEqual([
      [undefined, 0, 3],
      ['name', 1, undefined],
      ['list', 1, 2],
      ['0', 2, undefined],
      ['1', 2, 1],
      ['empty', 1, 0],
    ])
  })

  test('of long lists end with how many more there are', () => {
    const rows = rowsOfJson(Array(10_005).fill(0), new Set(['[]']))
    expect(rows).toHaveLength(10_002)
    expect(rows.at(-1)).toMatchObject({ more: 5, depth: 1 })
  })

  test('have names that change nothing around them', () => {
    expect(rowsOfJson({ 'a\u202eb': 1 }, new Set(['[]']))[1]?.label).toBe('a\ufffdb')
  })
})

describe('at first', () => {
  test('small values are open as a whole', () => {
    expect([...openAtStart(value)].sort()).toEqual(['[]', '["empty"]', '["list",1]', '["list"]'].sort())
  })

  test('of large values the first level is open', () => {
    expect([...openAtStart(Array.from({ length: 5000 }, () => ({ a: [1] })))]).toEqual(['[]'])
  })
})

test('a path is what a program would write', () => {
  const path = { parent: { parent: { parent: undefined, key: 'rows' }, key: 2 }, key: 'a "b"' }
  expect(pathText(path)).toBe('$.rows[2]["a \\"b\\""]')
  expect(pathText(undefined)).toBe('$')
})

test('a search finds names and plain values, and opens what is around them', () => {
  expect(findInJson(value, 'DEEP').map(keyOf)).toEqual(['["list",1,"deep"]'])
  expect(findInJson(value, 'ada').map(keyOf)).toEqual(['["name"]'])
  expect(findInJson(value, '')).toEqual([])
  const [found] = findInJson(value, 'true')
  expect([...openTo(found, new Set())].sort()).toEqual(['[]', '["list",1]', '["list"]'].sort())
  expect(findInJson(Array(5000).fill('x'), 'x')).toHaveLength(1000)
})
