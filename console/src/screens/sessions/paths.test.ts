import { expect, test } from 'vitest'
import { folderIn, foldersOf, nameIn, pathIn } from './paths.ts'

test('a name has a path in its folder', () => {
  expect([pathIn(undefined, 'a.csv'), pathIn('data/old', 'a.csv')]).toEqual(['a.csv', 'data/old/a.csv'])
  expect([nameIn('a.csv'), nameIn('data/old/a.csv')]).toEqual(['a.csv', 'a.csv'])
})

test('a path names the folders that lead to it', () => {
  expect(foldersOf('data/old')).toEqual([
    { name: 'data', path: 'data' },
    { name: 'old', path: 'data/old' },
  ])
})

test('an address that names no folder shows the whole session', () => {
  expect([folderIn('data'), folderIn(''), folderIn(7), folderIn('x'.repeat(5000))]).toEqual([
    { path: 'data' },
    {},
    {},
    {},
  ])
})
