import { expect, test } from 'vitest'
import { nameOfTarget, shareTargets, targetsLeft } from './share-targets.ts'

const targets = shareTargets({
  company: { id: 'cmp_1', name: 'acme' },
  departments: [{ id: 'dep_1', name: 'sales' }],
  rooms: [{ id: 'roo_1', name: 'daily' }],
})

test('a task is shared with the company, a department or a room', () => {
  expect(targets.map(({ target_kind, name }) => `${target_kind} ${name}`)).toEqual([
    'company acme',
    'department sales',
    'chatroom daily',
  ])
})

test('a target that has a share is not offered again', () => {
  const left = targetsLeft(targets, [{ target_kind: 'department', target_id: 'dep_1' }])
  expect(left.map(({ name }) => name)).toEqual(['acme', 'daily'])
})

test('a target that the person does not know has no name', () => {
  expect(nameOfTarget(targets, { target_kind: 'chatroom', target_id: 'roo_1' })).toBe('daily')
  expect(nameOfTarget(targets, { target_kind: 'chatroom', target_id: 'roo_2' })).toBeUndefined()
})
