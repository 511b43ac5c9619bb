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

test('a name or an id finds the one item that has it', () => {
  expect(pickNamed('room', 'daily-numbers', rooms).id).toBe('roo_1')
  expect(pickNamed('room', 'roo_3', rooms).id).toBe('roo_3')
})

test('a name that several have asks for the id', () => {
  expect(hintFor('front-desk')).toBe('Name one by its id: roo_2, roo_3.')
})

test('a mistyped name gets the near ones, another one gets what there is', () => {
  expect(hintFor('dialy-numbers')).toBe('Did you mean daily-numbers?')
  expect(hintFor('desk')).toBe('Did you mean front-desk?')
  expect(hintFor('zzzzzzzzzzzzzzzz')).toBe('There is: daily-numbers, front-desk, front-desk.')
  expect(hintFor('any', [])).toBe('There is none at all yet.')
})
