import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { expect, test } from 'vitest'
import { roleNameOf } from '../person/roles.ts'
import { companyParts, companyPartsOf } from './company-parts.ts'

test('a role is named by its number, unless the page does not know it yet', () => {
  expect(roleNameOf(roles.company_administrator)).toBe('company_administrator')
  expect(roleNameOf(5)).toBeUndefined()
})

test('an administrator sees every part of the company, others what their role reads, and a member none', () => {
  expect(companyPartsOf(roles.company_manager)).toEqual([
    'usage',
    'webhooks',
    'settings',
    'storage',
    'findings',
  ])
  expect(companyPartsOf(roles.auditor)).toEqual(['audit'])
  expect(companyPartsOf(roles.company_administrator)).toEqual(companyParts)
  expect(companyPartsOf(roles.member)).toEqual([])
  expect(companyPartsOf(roles.department_manager)).toEqual([])
})
