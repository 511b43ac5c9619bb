import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { longest, longestFirst } from './longest-first.ts'

const root = resolve(import.meta.dirname, '../..')

test('each listed file exists', () => {
  expect(longest.filter((name) => !existsSync(join(root, name)))).toEqual([])
})

test('the longest files come first, and the others keep their order', () => {
  const [first = '', second = ''] = longest
  const names = ['b.test.ts', second, 'a.test.ts', first]
  const sorted = longestFirst(names.map((name) => ({ moduleId: join(root, name) })))
  expect(sorted.map(({ moduleId }) => moduleId)).toEqual(
    [first, second, 'b.test.ts', 'a.test.ts'].map((name) => join(root, name)),
  )
})
