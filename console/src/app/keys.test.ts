import { expect, test } from 'vitest'
import { KeyReader, keyActions, shownKeys } from './keys.ts'

const press = (key: string, modifiers: { ctrlKey?: boolean; altKey?: boolean } = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...modifiers,
})

test('no two actions have the same keys', () => {
  const keys = Object.values(keyActions).map((action) => action.keys)
  expect(new Set(keys).size).toBe(keys.length)
})

test('a single key is an action outside of fields only', () => {
  const reader = new KeyReader()
  expect(reader.read(press('c'), false, 0)).toBe('cancelRun')
  expect(reader.read(press('c'), true, 5000)).toBeUndefined()
})

test('two keys are an action if the second follows within a second', () => {
  const reader = new KeyReader()
  reader.read(press('g'), false, 0)
  expect(reader.read(press('r'), false, 900)).toBe('runs')
  reader.read(press('g'), false, 5000)
  expect(reader.read(press('r'), false, 6500)).toBeUndefined()
})

test('keys with Control work in fields too, in either case', () => {
  const reader = new KeyReader()
  expect(reader.read(press('k', { ctrlKey: true }), true, 0)).toBe('palette')
  expect(reader.read(press('Enter', { ctrlKey: true }), true, 0)).toBe('submit')
})

test('keys with Alt belong to the browser', () => {
  expect(new KeyReader().read(press('c', { altKey: true }), false, 0)).toBeUndefined()
})

test('a Mac shows its own sign', () => {
  expect([shownKeys('Mod-K', true), shownKeys('Mod-K', false)]).toEqual(['⌘K', 'Ctrl+K'])
})
