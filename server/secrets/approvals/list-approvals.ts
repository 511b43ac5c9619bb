import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type {
  SecretApproval,
  SecretApprovalList,
} from '@sandbox-jobs/contract/resources/secrets/secret-approval.ts'
import type { Principal } from '../../access/principal.ts'
import { managedConsumers } from '../consumers.ts'
import type { SecretContext } from '../secret-context.ts'
import type { SecretListRequest } from '../write/list-secrets.ts'
import { type ApprovalListFilter, listApprovalRows, type SecretApprovalRow } from './secret-approval-store.ts'

/** The approvals of a task, of the consumers that the caller manages. */
export async function listTaskApprovals(
  context: SecretContext,
  principal: Principal,
  list: { taskId: string; request: SecretListRequest },
): Promise<SecretApprovalList> {
  const listed = await approvalList(context, principal, list)
  return listed.page(await listApprovalRows(context.db, listed.filter), renderApproval)
}

const states: Record<Lifecycle, readonly string[] | undefined> = {
  active: ['active'],
  retired: ['revoked'],
  all: undefined,
}

/** The rows that a list of the approvals of a task reads, and the page that it answers. */
export async function approvalList(
  { directory, pages, tasks }: SecretContext,
  principal: Principal,
  { taskId, request, of = '' }: { taskId: string; request: SecretListRequest; of?: string },
) {
  const { id } = await tasks.task(principal, taskId)
  const name = `task-approvals:${id}${of}`
  const [afterId] = pages.read(name, request.page_token) ?? []
  const filter: ApprovalListFilter = {
    companyId: principal.companyId,
    taskId: id,
    managed: await managedConsumers(directory, principal),
    states: states[request.lifecycle],
    afterId: typeof afterId === 'string' ? afterId : undefined,
    limit: request.page_size + 1,
  }
  const page = <Row extends SecretApprovalRow, Item>(rows: Row[], item: (row: Row) => Item) => {
    const made = pages.page(name, rows, request.page_size, { item, cursor: (row) => [row.id] })
    return { ...made, truncated: made.next_page_token !== null }
  }
  return { filter, page }
}

export const renderApproval = (row: SecretApprovalRow): SecretApproval => ({
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
