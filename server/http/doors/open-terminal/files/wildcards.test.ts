import { describe, expect, it } from 'vitest'
import { searchBudget, wildcard } from './wildcards.ts'

describe('a pattern of file names', () => {
  it.each([
    ['*.py', 'a/b.py', true],
    ['*.py', 'b.pyc', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]x]', ']', true],
    ['[a', '[a', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b', 'bbaa', false],
    ['', '', true],
    ['**', '', true],
    ['ü*', 'über', true],
  ])('%s and %s', (pattern, text, isMatch) => {
    expect(wildcard(pattern)(text, searchBudget())).toBe(isMatch)
  })

  it('ends when the budget of the request is used up', () => {
    const budget = { steps: 100_000 }
    const hostile = wildcard(`${'*a'.repeat(100)}b`)
    for (let asked = 0; asked < 1000; asked += 1) hostile('a'.repeat(1000), budget)
    expect(budget.steps).toBeLessThan(0)
    expect(wildcard('a')('a', budget)).toBe(false)
  })
})
