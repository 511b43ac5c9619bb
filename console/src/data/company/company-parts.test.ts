import { roles as contractRoles } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { expect, test } from 'vitest'
import { roleNameOf, roles } from '../person/roles.ts'
import { companyParts, companyPartsOf } from './company-parts.ts'

test('roles have the numbers of the contract', () => {
  expect(Object.values(roles)).toEqual(Object.values(contractRoles))
  expect(roleNameOf(contractRoles.company_administrator)).toBe('administrator')
  expect(roleNameOf(5)).toBeUndefined()
})

test('an administrator sees every part of the company, others what their role reads, and a member none', () => {
  expect(companyPartsOf(roles.companyManager)).toEqual([
    'usage',
    'webhooks',
    'settings',
    'storage',
    'findings',
  ])
  expect(companyPartsOf(roles.auditor)).toEqual(['audit'])
  expect(companyPartsOf(roles.administrator)).toEqual(companyParts)
  expect(companyPartsOf(roles.member)).toEqual([])
  expect(companyPartsOf(roles.departmentManager)).toEqual([])
})
