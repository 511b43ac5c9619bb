import { approvalsPerCompanyMax } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type {
  SecretApproval,
  SecretApprovalCreateRequest,
  SecretApprovalList,
} from '@sandbox-jobs/contract/resources/secrets/secret-approval.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { definitionBytes, requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import { managedConsumers, requireConsumer, requireRecord } from '../consumers.ts'
import type { SecretContext } from '../secret-context.ts'
import type { SecretListRequest } from '../write/list-secrets.ts'
import {
  countActiveApprovals,
  findApproval,
  insertApproval,
  latestApproval,
  listApprovalRows,
  lockApproval,
  revokeApprovalRow,
  type SecretApprovalRow,
} from './secret-approval-store.ts'
import { slotSetHash } from './slot-set-hash.ts'

/**
 * Lets an exact version use these slots of a consumer (contract part 2, "Secrets and approvals"). Whether they are the slots
 * that a run takes from it is decided at the claim. What is approved already is answered as it is. Throws `not_found`,
 * `task_archived`, `task_version_not_published`, then `task_version_digest_mismatch`, `secret_limit_reached`,
 * `storage_quota_exceeded`.
 */
export async function createApproval(
  context: SecretContext,
  principal: Principal,
  request: SecretApprovalCreateRequest,
): Promise<SecretApproval> {
  const { companyId } = principal
  const consumer = { scope: request.consumer_scope, id: request.consumer_id }
  await requireConsumer(context.directory, principal, 'secret.approve', consumer)
  const requested = { taskId: request.task_id, versionId: request.task_version_id }
  const { task, version } = await context.tasks.version(principal, requested)
  if (task.state !== 'active') throw new CodedError('task_archived')
  if (version.state !== 'published' || version.content_state !== 'active')
    throw new CodedError('task_version_not_published')
  if (version.canonical_digest !== request.task_version_digest)
    throw new CodedError('task_version_digest_mismatch')
  const slots = request.slot_names.toSorted()
  const key = {
    companyId,
    consumerScope: consumer.scope,
    consumerId: consumer.id,
    versionId: version.id,
    slotSetHash: slotSetHash(slots),
  }
  const row = await context.db.transaction().execute(async (trx) => {
    await lockApproval(trx, key)
    const latest = await latestApproval(trx, key)
    if (latest?.state === 'active') return latest
    const limit = approvalsPerCompanyMax
    if ((await countActiveApprovals(trx, companyId, limit)) >= limit)
      throw new CodedError('secret_limit_reached', { limit })
    await requireStorageQuota(trx, companyId, definitionBytes.approval)
    return insertApproval(trx, {
      id: newId('secretApproval'),
      company_id: companyId,
      consumer_scope: consumer.scope,
      consumer_id: consumer.id,
      owner_scope: task.owner_scope,
      owner_id: task.owner_id,
      task_id: task.id,
      task_version_id: version.id,
      task_version_digest: version.canonical_digest,
      slot_names: slots,
      slot_set_hash: key.slotSetHash,
      generation: (latest?.generation ?? 0) + 1,
      created_by: principal.principalId,
    })
  })
  return renderApproval(row)
}

/** Throws `illegal_transition` when it has ended. */
export async function revokeApproval(
  context: SecretContext,
  principal: Principal,
  { id, reason }: { id: string; reason: string },
): Promise<SecretApproval> {
  const row = await findApproval(context.db, principal.companyId, id)
  if (!row) throw notFound()
  await requireRecord(context.directory, principal, 'secret.approve', {
    scope: row.consumer_scope,
    id: row.consumer_id,
  })
  const set = { revoked_at: context.clock.now(), revoke_reason: reason }
  const isRevoked = await context.db.transaction().execute((trx) => revokeApprovalRow(trx, row, set))
  if (!isRevoked) throw new CodedError('illegal_transition')
  return renderApproval({ ...row, ...set, state: 'revoked' })
}

const states: Record<Lifecycle, readonly string[] | undefined> = {
  active: ['active'],
  retired: ['revoked'],
  all: undefined,
}

/** The approvals of a task, of the consumers that the caller manages. */
export async function listTaskApprovals(
  context: SecretContext,
  principal: Principal,
  { taskId, request }: { taskId: string; request: SecretListRequest },
): Promise<SecretApprovalList> {
  const { id } = await context.tasks.task(principal, taskId)
  const name = `task-approvals:${id}`
  const [afterId] = context.pages.read(name, request.page_token) ?? []
  const rows = await listApprovalRows(context.db, {
    companyId: principal.companyId,
    taskId: id,
    managed: await managedConsumers(context.directory, principal),
    states: states[request.lifecycle],
    afterId: typeof afterId === 'string' ? afterId : undefined,
    limit: request.page_size + 1,
  })
  const page = context.pages.page(name, rows, request.page_size, {
    item: renderApproval,
    cursor: (row) => [row.id],
  })
  return { ...page, truncated: page.next_page_token !== null }
}

const renderApproval = (row: SecretApprovalRow): SecretApproval => ({
  id: row.id,
  company_id: row.company_id,
  consumer_scope: row.consumer_scope as SecretApproval['consumer_scope'],
  consumer_id: row.consumer_id,
  owner_scope: row.owner_scope as SecretApproval['owner_scope'],
  owner_id: row.owner_id,
  task_id: row.task_id,
  task_version_id: row.task_version_id,
  task_version_digest: row.task_version_digest,
  slot_set_hash: row.slot_set_hash,
  generation: row.generation,
  state: row.state as SecretApproval['state'],
  active: row.state === 'active',
  created_at: row.created_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
})
