import { approvalsPerCompanyMax } from '@sandbox-jobs/contract/limits.ts'
import type {
  SecretApproval,
  SecretApprovalCreateRequest,
} from '@sandbox-jobs/contract/resources/secrets/secret-approval.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { definitionBytes, requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import { type Consumer, requireConsumer, requireRecord } from '../consumers.ts'
import type { ApprovableVersion, SecretContext, SecretTask } from '../secret-context.ts'
import { renderApproval } from './list-approvals.ts'
import { endWithApproval } from './next-versions-store.ts'
import {
  countActiveApprovals,
  findApproval,
  insertApproval,
  latestApproval,
  lockApproval,
  revokeApprovalRow,
  type SecretApprovalRow,
} from './secret-approval-store.ts'
import { slotSetHash } from './slot-set-hash.ts'

/**
 * Lets an exact version use these slots of a consumer (contract part 2, "Secrets and approvals"). Whether they are the slots
 * that a run takes from it is decided at the claim. An approval that exists already is answered as it is. Throws what
 * `findApprovable` and `ensureApproval` do.
 */
export async function createApproval(
  context: SecretContext,
  principal: Principal,
  request: SecretApprovalCreateRequest,
): Promise<SecretApproval> {
  const approvable = await findApprovable(context, principal, request)
  const work = (trx: Trx) => ensureApproval(trx, principal, approvable)
  return renderApproval(await context.db.transaction().execute(work))
}

export interface Approvable {
  task: SecretTask
  version: ApprovableVersion
  consumer: Consumer
  slots: string[]
}

/**
 * The use that a request approves, where the caller may. Throws `not_found`, `task_archived`, `task_version_not_published`, then
 * `task_version_digest_mismatch`.
 */
export async function findApprovable(
  context: SecretContext,
  principal: Principal,
  request: SecretApprovalCreateRequest,
): Promise<Approvable> {
  const consumer = { scope: request.consumer_scope, id: request.consumer_id }
  await requireConsumer(context.directory, principal, 'secret.approve', consumer)
  const requested = { taskId: request.task_id, versionId: request.task_version_id }
  const { task, version } = await context.tasks.version(principal, requested)
  if (task.state !== 'active') throw new CodedError('task_archived')
  if (version.state !== 'published' || version.content_state !== 'active')
    throw new CodedError('task_version_not_published')
  if (version.canonical_digest !== request.task_version_digest)
    throw new CodedError('task_version_digest_mismatch')
  return { task, version, consumer, slots: request.slot_names.toSorted() }
}

/** The active approval: the one that is there, or a new one. Throws `secret_limit_reached`, `storage_quota_exceeded`. */
export async function ensureApproval(
  trx: Trx,
  { companyId, principalId }: Principal,
  { task, version, consumer, slots }: Approvable,
): Promise<SecretApprovalRow> {
  const key = {
    companyId,
    consumerScope: consumer.scope,
    consumerId: consumer.id,
    versionId: version.id,
    slotSetHash: slotSetHash(slots),
  }
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
    created_by: principalId,
  })
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
  await context.db.transaction().execute(async (trx) => {
    await endWithApproval(trx, row)
    if (!(await revokeApprovalRow(trx, row, set))) throw new CodedError('illegal_transition')
  })
  return renderApproval({ ...row, ...set, state: 'revoked' })
}
