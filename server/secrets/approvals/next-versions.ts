import { nextVersionsMaxDays } from '@sandbox-jobs/contract/limits.ts'
import type {
  ExtendedSecretApproval,
  ExtendedSecretApprovalList,
  NextVersions,
  NextVersionsRequest,
} from '@sandbox-jobs/contract/resources/secrets/extended-secret-approval.ts'
import { authorize, ownedBy } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { dayMs } from '../../base/clock.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { readInstant } from '../../base/errors/validation-error.ts'
import type { Trx } from '../../db/database.ts'
import type { SecretContext } from '../secret-context.ts'
import type { SecretListRequest } from '../write/list-secrets.ts'
import { ensureApproval, findApprovable } from './approval-service.ts'
import { approvalList, renderApproval } from './list-approvals.ts'
import {
  coverNextVersions,
  type ExtendedApprovalRow,
  endAtVersion,
  listExtendedApprovals,
  lockTask,
} from './next-versions-store.ts'

/**
 * Approves an exact version, and for a time the next versions by its author, for who manages the task and the consumer; a
 * borrower approves exact versions alone. An approval that is there is given for next versions anew, as things are now. Throws
 * what `createApproval` does, then `next_versions_until_invalid`, `task_not_shared_to_room`, `version_author_left`.
 */
export async function approveNextVersions(
  context: SecretContext,
  principal: Principal,
  request: NextVersionsRequest,
): Promise<ExtendedSecretApproval> {
  const approvable = await findApprovable(context, principal, request)
  const { companyId: company_id, principalId: approvedBy } = principal
  authorize(principal, 'secret.approve_next', ownedBy({ company_id, ...approvable.task }))
  const until = readUntil(request.next_versions_until, context.clock.now())
  const row = await context.db.transaction().execute(async (trx) => {
    await lockTask(trx, { companyId: company_id, id: approvable.task.id })
    const approval = await ensureApproval(trx, principal, approvable)
    const covered = await coverNextVersions(trx, approval, { until, approvedBy })
    if (!covered) throw notSharedTo(approvable.consumer.scope)
    if (covered.next_end === 'author_left') throw new CodedError('version_author_left')
    // The caller managed the consumer and the task a moment ago.
    if (covered.next_end !== null) throw notFound()
    return covered
  })
  return renderExtended(row)
}

function readUntil(text: string, now: Date): Date {
  const until = readInstant(['body', 'next_versions_until'], text)
  const aheadMs = until.getTime() - now.getTime()
  if (aheadMs <= 0 || aheadMs > nextVersionsMaxDays * dayMs)
    throw new CodedError('next_versions_until_invalid', { limit_days: nextVersionsMaxDays })
  return until
}

const notSharedTo = (scope: string): CodedError =>
  scope === 'chatroom'
    ? new CodedError('task_not_shared_to_room')
    : new CodedError('task_not_shared_to_room', {
        message: `The task is not shared with this ${scope} as a whole; next versions are approved in each room, or for what the task is shared with.`,
      })

/** The approvals of a task, of the consumers that the caller manages; `versionId`: those that count for that version now. */
export async function listTaskExtendedApprovals(
  context: SecretContext,
  principal: Principal,
  {
    taskId,
    versionId,
    request,
  }: { taskId: string; versionId: string | undefined; request: SecretListRequest },
): Promise<ExtendedSecretApprovalList> {
  if (versionId !== undefined) await context.tasks.version(principal, { taskId, versionId })
  const of = `:extended:${versionId ?? ''}`
  const { filter, page } = await approvalList(context, principal, { taskId, request, of })
  return page(await listExtendedApprovals(context.db, filter, versionId), renderExtended)
}

const renderExtended = (row: ExtendedApprovalRow): ExtendedSecretApproval => ({
  ...renderApproval(row),
  next_versions: nextVersionsOf(row),
})

function nextVersionsOf(row: ExtendedApprovalRow): NextVersions | null {
  const { next_until, next_approved_by, next_author_id, next_after, next_slot_names, next_share_grant_id } =
    row
  if (!next_until || !next_approved_by || !next_author_id || !next_share_grant_id) return null
  return {
    until: next_until.toISOString(),
    author_id: next_author_id,
    approved_by: next_approved_by,
    after_version_number: next_after ?? 0,
    slot_names: next_slot_names ?? [],
    share_grant_id: next_share_grant_id,
    active: row.next_end === null,
    end_reason: row.next_end as NextVersions['end_reason'],
    ended_at: row.next_ended_at?.toISOString() ?? null,
  }
}

/** Where a version is published, in this transaction: approvals whose author or slots it does not have cover no next versions any more. */
export const endNextVersionsAt = async (
  trx: Trx,
  version: { id: string; task_id: string; company_id: string },
): Promise<void> => void (await endAtVersion(trx, version))
