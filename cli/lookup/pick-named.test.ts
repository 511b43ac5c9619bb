import { expect, test } from 'vitest'
import { pickNamed } from './pick-named.ts'

const rooms = [
  { id: 'roo_1', name: 'daily-numbers' },
  { id: 'roo_2', name: 'front-desk' },
  { id: 'roo_3', name: 'front-desk' },
]
const hintFor = (wanted: string, items = rooms): string => {
  try {
    pickNamed('room', wanted, items)
    return 'found'
  } catch (error) {
    return (error as { hint: string }).hint
  }
}

test('a name or an id finds its item', () => {
  expect(pickNamed('room', 'daily-numbers', rooms).id).toBe('roo_1')
  expect(pickNamed('room', 'roo_3', rooms).id).toBe('roo_3')
})

test('an ambiguous name gets the hint to use an id', () => {
  expect(hintFor('front-desk')).toBe('Use one of the ids: roo_2, roo_3.')
})

test('a mistyped name gets similar names, any other name gets the list', () => {
  expect(hintFor('dialy-numbers')).toBe('Did you mean daily-numbers?')
  expect(hintFor('desk')).toBe('Did you mean front-desk?')
  expect(hintFor('zzzzzzzzzzzzzzzz')).toBe('Existing: daily-numbers, front-desk, front-desk.')
  expect(hintFor('any', [])).toBe('None exists yet.')
})
