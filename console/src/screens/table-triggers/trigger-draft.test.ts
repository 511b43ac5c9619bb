import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import type { TableTrigger } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { expect, test } from 'vitest'
import { bodyOfTrigger, draftOfTrigger, isTriggerComplete, newTrigger } from './trigger-draft.ts'

const fields: TableField[] = [{ name: 'order_id', type: 'text', required: true }]
const draft = { ...newTrigger(fields, 'roo_1'), name: 'send invoice', version: 'tvr_1' }

test('a new trigger begins with an input that has every field', () => {
  expect(bodyOfTrigger(draft)).toEqual({
    name: 'send invoice',
    description: '',
    events: ['create'],
    chatroom_id: 'roo_1',
    task_version_id: 'tvr_1',
    input_template: { order_id: '{{values.order_id}}' },
    timeout_seconds: null,
  })
})

test('a trigger that is changed begins as it is', () => {
  const typed = { ...draft, timeout: '600' }
  expect(draftOfTrigger(bodyOfTrigger(typed) as TableTrigger)).toEqual(typed)
})

test.each([
  [{}, true],
  [{ name: ' ' }, false],
  [{ events: [] }, false],
  [{ version: '' }, false],
  [{ template: '{' }, false],
  [{ timeout: '0' }, false],
  [{ timeout: '60' }, true],
])('with %j a trigger is complete: %s', (change, expected) => {
  expect(isTriggerComplete({ ...draft, ...change })).toBe(expected)
})
