import { describe, expect, it } from 'vitest'
import { searchBudget, wildcard } from './wildcards.ts'

describe('a pattern of file names', () => {
  it('finds a member of any set as a list does', () => {
    for (let first = 120; first < 140; first += 1) {
      const set = [first, first + 3, first + 4, first + 9].map((code) => String.fromCharCode(code)).join('')
      for (let code = 110; code < 160; code += 1) {
        const char = String.fromCharCode(code)
        expect(wildcard(`[${set}]`)(char, searchBudget())).toBe(set.includes(char))
      }
    }
  })

  it.each([
    ['*.py', 'a/b.py', true],
    ['*.py', 'b.pyc', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]x]', ']', true],
    ['[a', '[a', true],
    ['[z-a]', 'm', false],
    ['[c-ga-dx]', 'e', true],
    ['[c-ga-dx]', 'h', false],
    ['[é-üa]x', 'öx', true],
    ['[é-üa]x', 'ýx', false],
    ['[!é-ü]', 'ö', false],
    ['[!é-ü]', '€', true],
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
