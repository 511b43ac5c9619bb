import { expect, test } from 'vitest'
import { circles, loadedWith } from './import-graph.ts'

const edges = new Map([
  ['a', ['b', 'c']],
  ['b', ['d']],
  ['c', ['c']],
  ['d', ['b', 'e']],
  ['e', []],
])

test('a circle has each file that leads back to itself over others', () => {
  expect(circles(edges).map((group) => group.toSorted())).toEqual([['b', 'd']])
})

test('a file is loaded with all that it leads to', () => {
  expect([...loadedWith('b', edges)].toSorted()).toEqual(['b', 'd', 'e'])
})
