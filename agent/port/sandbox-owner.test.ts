import { expect, test } from 'vitest'
import { sandboxOwner } from './sandbox-owner.ts'

test('each company has its own owner numbers, one for its runs and one for its builds', () => {
  const owner = sandboxOwner('company_a', 'runs')
  expect(sandboxOwner('company_a', 'runs')).toBe(owner)
  expect(sandboxOwner('company_b', 'runs')).not.toBe(owner)
  expect(sandboxOwner('company_a', 'builds')).not.toBe(owner)
  expect(Number.isSafeInteger(owner)).toBe(true)
})
