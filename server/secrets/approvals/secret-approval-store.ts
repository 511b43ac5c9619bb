import { secretApprovalMachine } from '@sandbox-jobs/contract/states/secret-states.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import { countUpTo } from '../../db/count-up-to.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { SecretApprovalsTable } from '../../db/tables/secrets.ts'
import { recordCreated, transition } from '../../db/transition.ts'
import type { ManagedConsumers } from '../consumers.ts'
import { isManaged } from '../store/secret-binding-store.ts'

export type SecretApprovalRow = Selectable<SecretApprovalsTable>

/** The thing that is approved: a version's use of a set of slots of a consumer. */
export interface ApprovalKey {
  companyId: string
  consumerScope: string
  consumerId: string
  versionId: string
  slotSetHash: string
}

/** Writes the table `secret_approvals`. */
export async function insertApproval(
  trx: Trx,
  approval: Insertable<SecretApprovalsTable>,
): Promise<SecretApprovalRow> {
  const row = await trx
    .insertInto('secret_approvals')
    .values(approval)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: secretApprovalMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

/** Of approvals of the same thing each waits here for the one before it. */
export async function lockApproval(trx: Trx, key: ApprovalKey): Promise<void> {
  const name = ['secret approval', ...Object.values(key)].join('\n')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

/** The approval made last, whatever its state. */
export const latestApproval = (db: Executing, key: ApprovalKey): Promise<SecretApprovalRow | undefined> =>
  db
    .selectFrom('secret_approvals')
    .selectAll()
    .where('company_id', '=', key.companyId)
    .where('consumer_scope', '=', key.consumerScope)
    .where('consumer_id', '=', key.consumerId)
    .where('task_version_id', '=', key.versionId)
    .where('slot_set_hash', '=', key.slotSetHash)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findApproval = (
  db: Executing,
  companyId: string,
  id: string,
): Promise<SecretApprovalRow | undefined> =>
  db
    .selectFrom('secret_approvals')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Counts to the limit and no further. */
export const countActiveApprovals = (db: Executing, companyId: string, limit: number): Promise<number> =>
  countUpTo(db, sql`select from secret_approvals where company_id = ${companyId} and state = 'active'`, limit)

/** False when the approval had ended already. */
export async function revokeApprovalRow(
  trx: Trx,
  { id, company_id }: Pick<SecretApprovalRow, 'id' | 'company_id'>,
  set: { revoked_at: Date; revoke_reason: string },
): Promise<boolean> {
  const left = await transition(trx, {
    table: 'secret_approvals',
    machine: secretApprovalMachine,
    id,
    companyId: company_id,
    to: 'revoked',
    set,
  })
  return left !== undefined
}

export interface ApprovalListFilter {
  companyId: string
  taskId: string
  managed: ManagedConsumers
  /** Undefined: every state. */
  states: readonly string[] | undefined
  afterId: string | undefined
  limit: number
}

/** In the order of their ids. */
export const listApprovalRows = (db: Executing, filter: ApprovalListFilter): Promise<SecretApprovalRow[]> =>
  approvalsOf(db, filter).execute()

/** The query of a list, over rows `a`. */
export function approvalsOf(db: Executing, filter: ApprovalListFilter) {
  let query = db
    .selectFrom('secret_approvals as a')
    .selectAll('a')
    .where('a.company_id', '=', filter.companyId)
    .where('a.task_id', '=', filter.taskId)
  if (filter.managed) query = query.where(isManaged(filter.managed))
  if (filter.states) query = query.where('a.state', 'in', filter.states)
  if (filter.afterId !== undefined) query = query.where('a.id', '>', filter.afterId)
  return query.orderBy('a.id').limit(filter.limit)
}
