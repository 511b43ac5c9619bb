import { expect, test } from 'vitest'
import { changeOf } from './person-change.ts'

const manager = { display_name: 'Ada', role: 2, managed_department_ids: ['dep_1', 'dep_2'] }

test('nothing is sent for a form that says the same in another order', () => {
  expect(changeOf(manager, 'Ada', { role: 2, managed: ['dep_2', 'dep_1'] })).toBeUndefined()
})

test('only the fields that differ are sent', () => {
  expect(changeOf(manager, 'Ada L.', { role: 2, managed: ['dep_1', 'dep_2'] })).toEqual({
    display_name: 'Ada L.',
  })
  expect(changeOf(manager, 'Ada', { role: 2, managed: ['dep_1'] })).toEqual({
    managed_department_ids: ['dep_1'],
  })
})

test('another role takes the departments away', () => {
  expect(changeOf(manager, 'Ada', { role: 1, managed: ['dep_1', 'dep_2'] })).toEqual({
    role: 1,
    managed_department_ids: [],
  })
})
