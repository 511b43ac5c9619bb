import { expect, test } from 'vitest'
import { managedConsumers } from './consumers.ts'

const room = { id: 'roo_1', department_id: 'dep_1', manages: false }
const managed = { ...room, manages: true }
const member: Parameters<typeof managedConsumers>[1] = {
  role: 1,
  managed_department_ids: [],
  company_id: 'cmp_1',
}
const scopes = (...given: Parameters<typeof managedConsumers>) =>
  managedConsumers(...given).map(({ consumer_scope }) => consumer_scope)

test('a member stores values for nobody, and a manager of the room for the room', () => {
  expect(scopes(room, member)).toEqual([])
  expect(scopes(managed, member)).toEqual(['chatroom'])
})

test('a manager of the department stores values for it and for its rooms', () => {
  expect(scopes(managed, { ...member, role: 2, managed_department_ids: ['dep_1'] })).toEqual([
    'chatroom',
    'department',
  ])
  expect(scopes(managed, { ...member, role: 2, managed_department_ids: ['dep_2'] })).toEqual(['chatroom'])
})

test('a manager of the company stores values for all of them', () => {
  expect(managedConsumers(managed, { ...member, role: 3 })).toEqual([
    { consumer_scope: 'chatroom', consumer_id: 'roo_1' },
    { consumer_scope: 'department', consumer_id: 'dep_1' },
    { consumer_scope: 'company', consumer_id: 'cmp_1' },
  ])
})
