import { expect, test, vi } from 'vitest'

vi.stubGlobal('location', new URL('https://jobs.example/console/'))
const { managesOwner, ownersOf } = await import('./owners.ts')

const departments = [{ id: 'dep_1', name: 'sales' }]
const company = { company_id: 'cmp_1', company_name: 'acme' }
const ofDepartment = { owner_scope: 'department', owner_id: 'dep_1' }
const ofCompany = { owner_scope: 'company', owner_id: 'cmp_1' }

test('a manager of a department manages what it owns, and nothing else', () => {
  const person = { role: 2, managed_department_ids: ['dep_1'] }
  expect(managesOwner(person, ofDepartment)).toBe(true)
  expect(managesOwner(person, { ...ofDepartment, owner_id: 'dep_2' })).toBe(false)
  expect(managesOwner(person, ofCompany)).toBe(false)
  expect(ownersOf({ ...company, role: 2 }, departments).map(({ owner }) => owner)).toEqual([ofDepartment])
})

test('a manager of the company manages all, and a member nothing', () => {
  expect(managesOwner({ role: 3, managed_department_ids: [] }, ofCompany)).toBe(true)
  expect(managesOwner({ role: 1, managed_department_ids: [] }, ofDepartment)).toBe(false)
  expect(ownersOf({ ...company, role: 3 }, departments).map(({ name }) => name)).toEqual(['acme', 'sales'])
})
