import type { ExtendedSecretApproval } from '@sandbox-jobs/contract/resources/secrets/extended-secret-approval.ts'
import type { SecretBinding } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import type { SecretSlotStatus } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import { expect, test } from 'vitest'
import type { Consumer } from '../../data/rooms/secrets.ts'
import { approvalFor, secretsElsewhere, slotSetHash, slotsOf, slotsToApprove } from './job-slots.ts'

const room: Consumer = { consumer_scope: 'chatroom', consumer_id: 'roo_1' }
const company: Consumer = { consumer_scope: 'company', consumer_id: 'cmp_1' }

const slot = (name: string, policy: SecretSlotStatus['policy'] = 'borrower'): SecretSlotStatus => ({
  name,
  policy,
  borrower_bound: false,
  owner_bound: false,
  effective_source: 'missing',
})
const job: Parameters<typeof slotsOf>[0] = {
  task_id: 'tsk_1',
  owner_scope: 'company',
  owner_id: 'cmp_1',
  secret_slots: [slot('A'), slot('B'), slot('OWNED', 'owner'), slot('BOTH', 'owner_overridable')],
}

const secret = (slot_name: string, task_id = 'tsk_1'): SecretBinding => ({
  id: `sec_${slot_name}`,
  company_id: 'cmp_1',
  ...room,
  task_id,
  slot_name,
  generation: 1,
  state: 'active',
  has_provider_binding: true,
})

test('a slot has the value of its own task and name', () => {
  const slots = slotsOf(job, room, [secret('A'), secret('B', 'tsk_2')])
  expect(slots.map(({ stored }) => stored?.id)).toEqual(['sec_A', undefined, undefined, undefined])
})

test('only the owner of the job stores values that the owner supplies', () => {
  expect(slotsOf(job, room, []).map(({ isOwners }) => isOwners)).toEqual([false, false, true, false])
  expect(slotsOf(job, company, []).some(({ isOwners }) => isOwners)).toBe(false)
})

test('an approval is needed for what runs get from a consumer that does not own the job', () => {
  const own = [secret('A'), secret('OWNED'), secret('BOTH'), secret('B', 'tsk_2')]
  expect(slotsToApprove(job, room, { own, narrower: [] })).toEqual(['A', 'BOTH'])
  expect(slotsToApprove(job, room, { own, narrower: [secret('A')] })).toEqual(['BOTH'])
  expect(slotsToApprove(job, company, { own, narrower: [] })).toEqual([])
})

test('a set of slots has the identity that approvals have', async () => {
  // The sha256 of the names with a line feed between them.
  expect(await slotSetHash(['B', 'A'])).toBe(
    'sha256:23519a43c66b4c342f25b32e09797ec5f3fc0be388cd8243fb3449afbdce4013',
  )
})

test('an approval counts for its consumer and its slots alone', () => {
  const approval = { id: 'apr_1', ...room, slot_set_hash: 'sha256:1' } as ExtendedSecretApproval
  expect(approvalFor([approval], room, 'sha256:1')).toBe(approval)
  expect(approvalFor([approval], room, 'sha256:2')).toBeUndefined()
  expect(approvalFor([approval], company, 'sha256:1')).toBeUndefined()
})

test('values of other jobs, and of slots that a job no longer has, are listed apart', () => {
  const left = secretsElsewhere([job], [secret('A'), secret('GONE'), secret('A', 'tsk_2')])
  expect(left.map(({ slot_name, task_id }) => `${task_id} ${slot_name}`)).toEqual(['tsk_1 GONE', 'tsk_2 A'])
})
