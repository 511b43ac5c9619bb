import { expect, test } from 'vitest'
import { sandboxOwner } from './sandbox-owner.ts'

test('each company has its own owner number', () => {
  expect(sandboxOwner('company_a')).toBe(sandboxOwner('company_a'))
  expect(sandboxOwner('company_a')).not.toBe(sandboxOwner('company_b'))
  expect(Number.isSafeInteger(sandboxOwner('company_a'))).toBe(true)
})
