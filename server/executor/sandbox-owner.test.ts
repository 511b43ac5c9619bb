import { expect, test } from 'vitest'
import { sandboxOwner } from './sandbox-owner.ts'

test('a company is one owner, and another company is another', () => {
  expect(sandboxOwner('company_a')).toBe(sandboxOwner('company_a'))
  expect(sandboxOwner('company_a')).not.toBe(sandboxOwner('company_b'))
  expect(Number.isSafeInteger(sandboxOwner('company_a'))).toBe(true)
})
