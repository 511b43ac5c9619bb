import { expect, it } from 'vitest'
import { zipNames } from './stored-zip.ts'

it('gives names that become equal a number', () => {
  expect(zipNames(['a:b', 'a?b', 'a_b~2', 'a*b', 'c', 'c', 'c'])).toEqual([
    'a_b',
    'a_b~2',
    'a_b~2~2',
    'a_b~3',
    'c',
    'c~2',
    'c~3',
  ])
})

it('needs no longer for many names that become equal', () => {
  const names = Array.from({ length: 20_000 }, (_, at) =>
    at
      .toString(8)
      .padStart(5, '0')
      .replaceAll(/\d/g, (digit) => '\\:*?"<>|'.charAt(Number(digit))),
  )
  expect(new Set(names).size).toBe(20_000)
  const shown = zipNames(names)
  expect(new Set(shown).size).toBe(20_000)
  expect(shown.at(-1)).toBe('_____~20000')
}, 5000)
