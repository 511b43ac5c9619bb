import type { Scope } from '@sandbox-jobs/contract/resources/companies/owner-scope.ts'
import type { InboxItem } from '@sandbox-jobs/contract/resources/notifications/inbox.ts'
import type { SlotPolicy } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import type { Database } from '../../db/database.ts'
import { type Consumer, type ManagedConsumers, managedConsumers } from '../../secrets/consumers.ts'
import { resolveSlots, type SlotResolution } from '../../secrets/resolve/slot-resolution.ts'
import { slotNamesOf } from '../versions/task-version.ts'
import { listWaitingJobs, type WaitingJobRow } from './waiting-job-store.ts'

/** Enabled jobs that are looked at for one inbox. */
export const jobsLookedAt = 1000

/** Enabled jobs for which the principal, as a manager, has something to decide: newest first of each kind. */
export async function waitingJobs(
  { db, directory }: { db: Database; directory: Directory },
  principal: Principal,
): Promise<{ items: InboxItem[]; isComplete: boolean }> {
  const managed = await managedConsumers(directory, principal)
  const rows = await listWaitingJobs(db, {
    companyId: principal.companyId,
    roomIds: managed?.roomIds,
    limit: jobsLookedAt + 1,
  })
  const looked = rows.slice(0, jobsLookedAt)
  const items = looked.flatMap((row) => [
    ...secretItems(row, principal.companyId, managed),
    ...updateItems(row),
  ])
  return { items, isComplete: rows.length <= jobsLookedAt }
}

function secretItems(row: WaitingJobRow, companyId: string, managed: ManagedConsumers): InboxItem[] {
  const slots = slotNamesOf(row.secret_slot_declarations)
  if (slots.length === 0) return []
  const terms = {
    companyId,
    taskId: row.task_id,
    owner: { scope: row.owner_scope, id: row.owner_id },
    digest: row.canonical_digest,
    room: { id: row.chatroom_id, departmentId: row.department_id },
    slots,
    policies: row.policies,
  }
  return itemsOf(row, resolveSlots(terms, row.candidates, row.approvals), managed)
}

function itemsOf(row: WaitingJobRow, resolution: SlotResolution, managed: ManagedConsumers): InboxItem[] {
  const common = { ...jobOf(row), since: row.accepted_at.toISOString(), path: manage(row, 'secrets') }
  switch (resolution.kind) {
    case 'resolved':
      return []
    case 'missing': {
      const { slot, setBy } = resolution
      if (setBy === 'owner' && !manages(managed, { scope: row.owner_scope, id: row.owner_id })) return []
      const policy = (row.policies?.[slot] ?? 'borrower') as SlotPolicy
      return [
        {
          ...common,
          kind: 'secret_missing',
          id: `secret_missing:${row.binding_id}`,
          slot_name: slot,
          policy,
        },
      ]
    }
    case 'unapproved': {
      const { consumerScope: scope, consumerId: id, slots } = resolution
      if (!manages(managed, { scope, id })) return []
      return [
        {
          ...common,
          kind: 'secret_approval',
          id: `secret_approval:${row.binding_id}`,
          task_version_digest: row.canonical_digest,
          consumer_scope: scope as Scope,
          consumer_id: id,
          slot_names: slots,
        },
      ]
    }
  }
}

function updateItems(row: WaitingJobRow): InboxItem[] {
  const { newest_version_id, newest_version_number, newest_published_at } = row
  if (newest_version_id === null || newest_version_number === null || newest_published_at === null) return []
  return [
    {
      ...jobOf(row),
      kind: 'version_update',
      id: `version_update:${row.binding_id}`,
      since: newest_published_at.toISOString(),
      path: manage(row, 'jobs'),
      version_number: row.version_number,
      newest_version_id,
      newest_version_number,
    },
  ]
}

const jobOf = (row: WaitingJobRow) => ({
  chatroom_id: row.chatroom_id,
  chatroom_name: row.chatroom_name,
  task_id: row.task_id,
  task_name: row.task_name,
  binding_id: row.binding_id,
  task_version_id: row.task_version_id,
})

const manage = ({ chatroom_id }: WaitingJobRow, tab: 'jobs' | 'secrets') =>
  `/console/chatrooms/${chatroom_id}/manage/${tab}`

const manages = (managed: ManagedConsumers, { scope, id }: Consumer): boolean => {
  if (managed === undefined) return true
  if (scope === 'chatroom') return managed.roomIds.includes(id)
  return scope === 'department' && managed.departmentIds.includes(id)
}
