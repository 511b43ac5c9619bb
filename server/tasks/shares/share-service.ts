import { envNamePattern, reservedEnvPrefix, secretSlotPoliciesMax } from '@sandbox-jobs/contract/limits.ts'
import { type SecretSlotPolicies, slotPolicies } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import type {
  ShareCreateRequest,
  ShareGrant,
  ShareGrantList,
} from '@sandbox-jobs/contract/resources/tasks/share.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota, taskBytes } from '../../companies/storage/storage-quota.ts'
import { afterIdOf, type ListRequest, pageByIdOf, statesOfLifecycle } from '../catalogue/list-request.ts'
import { lockManagedTask, requireManagedTask, type TaskContext } from '../catalogue/task-access.ts'
import {
  findShare,
  insertShare,
  latestShareTo,
  listShares,
  revokeShareRow,
  roomGenerations,
  type ShareRow,
  type ShareTarget,
} from './share-store.ts'

/** Departments and companies never move: their authority generation is always the first. */
const firstGeneration = 1

/**
 * Shares a task with a live room, a department or the company of its owner. Sharing again after a revocation creates
 * the next generation. Throws `task_archived`, `share_target_invalid`, `share_already_live`,
 * `secret_slot_policies_invalid` (contract part 1, "Share grant").
 */
export async function createShare(
  context: TaskContext,
  principal: Principal,
  share: { taskId: string; request: ShareCreateRequest },
): Promise<ShareGrant> {
  const { taskId, request } = share
  await requireManagedTask(context.db, principal, 'task.share', taskId)
  const target = { kind: request.target_kind, id: request.target_id }
  const policies = readPolicies(request.secret_slot_policies ?? null)
  const targetGeneration = await generationOf(context, principal.companyId, target)
  if (targetGeneration === undefined) throw new CodedError('share_target_invalid')
  const row = await context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, 'task.share', taskId)
    if (task.state !== 'active') throw new CodedError('task_archived')
    const latest = await latestShareTo(trx, { companyId: principal.companyId, taskId, target })
    if (latest?.state === 'active') throw alreadyLive(latest, targetGeneration)
    await requireStorageQuota(trx, principal.companyId, taskBytes)
    return insertShare(trx, {
      id: newId('shareGrant'),
      company_id: principal.companyId,
      task_id: taskId,
      target_kind: target.kind,
      target_id: target.id,
      generation: (latest?.generation ?? 0) + 1,
      owner_authority_generation: firstGeneration,
      target_authority_generation: targetGeneration,
      secret_slot_policies: policies,
    })
  })
  return renderShare(row, targetGeneration)
}

/** A grant to a room that has moved is still live but grants nothing, so the error says why sharing again fails. */
const alreadyLive = (grant: ShareRow, targetGeneration: number): CodedError =>
  new CodedError('share_already_live', {
    share_grant_id: grant.id,
    ...(grant.target_authority_generation !== targetGeneration && {
      message:
        'The task was shared with this room before the room moved, so that share no longer applies. Revoke it, then share again.',
    }),
  })

/** The authority generation of a live target of the company; undefined if there is no such target. */
async function generationOf(
  context: TaskContext,
  companyId: string,
  target: ShareTarget,
): Promise<number | undefined> {
  switch (target.kind) {
    case 'chatroom':
      return (await context.directory.room(companyId, target.id))?.authority_generation
    case 'department':
      return (await context.directory.department(companyId, target.id)) && firstGeneration
    default:
      return target.id === companyId ? firstGeneration : undefined
  }
}

const slotName = new RegExp(envNamePattern)

function readPolicies(map: Record<string, unknown> | null): SecretSlotPolicies | null {
  if (map === null) return null
  const entries = Object.entries(map)
  const usable = entries.every(
    ([name, policy]) =>
      slotName.test(name) &&
      !name.startsWith(reservedEnvPrefix) &&
      slotPolicies.some((known) => known === policy),
  )
  if (!usable || entries.length > secretSlotPoliciesMax) throw new CodedError('secret_slot_policies_invalid')
  return map as SecretSlotPolicies
}

export async function listTaskShares(
  context: TaskContext,
  principal: Principal,
  query: { taskId: string; request: ListRequest },
): Promise<ShareGrantList> {
  const { taskId, request } = query
  await requireManagedTask(context.db, principal, 'task.share', taskId)
  const list = `shares:${taskId}`
  const size = request.page_size
  const rows = await listShares(context.db, {
    companyId: principal.companyId,
    taskId,
    states: statesOfLifecycle(request.lifecycle, { active: ['active'], retired: ['revoked'] }),
    afterId: afterIdOf(context.pages, list, request),
    limit: size + 1,
  })
  const generations = await roomGenerations(context.db, principal.companyId, rows)
  return pageByIdOf(context.pages, list, { rows, size }, (row) =>
    renderShare(row, row.target_kind === 'chatroom' ? generations.get(row.target_id) : firstGeneration),
  )
}

/** Revokes a share: rooms lose the task at once. Throws `illegal_transition` if it is already revoked. */
export async function revokeShare(
  context: TaskContext,
  principal: Principal,
  revoke: { taskId: string; shareId: string; reason: string },
): Promise<ShareGrant> {
  const { taskId, shareId, reason } = revoke
  await requireManagedTask(context.db, principal, 'task.share', taskId)
  const key = { companyId: principal.companyId, taskId, id: shareId }
  if (!(await findShare(context.db, key))) throw notFound()
  const row = await context.db.transaction().execute(async (trx) => {
    const set = { revoked_at: context.clock.now(), revoke_reason: reason }
    if (!(await revokeShareRow(trx, { id: shareId, company_id: principal.companyId }, set)))
      throw new CodedError('illegal_transition')
    return findShare(trx, key)
  })
  if (!row) throw notFound()
  return renderShare(
    row,
    await generationOf(context, principal.companyId, { kind: row.target_kind, id: row.target_id }),
  )
}

/**
 * The wire form of a share, for owners. `targetGeneration` is the current authority generation of the target,
 * undefined if the target was deleted.
 */
const renderShare = (row: ShareRow, targetGeneration: number | undefined): ShareGrant => ({
  id: row.id,
  company_id: row.company_id,
  task_id: row.task_id,
  target_kind: row.target_kind as ShareGrant['target_kind'],
  target_id: row.target_id,
  generation: row.generation,
  state: row.state as ShareGrant['state'],
  active: row.state === 'active',
  authority_applicable: row.target_authority_generation === targetGeneration,
  owner_authority_generation: row.owner_authority_generation,
  target_authority_generation: row.target_authority_generation,
  revoked_at: row.revoked_at?.toISOString() ?? null,
  revoke_reason: row.revoke_reason,
  secret_slot_policies: row.secret_slot_policies as SecretSlotPolicies | null,
})
