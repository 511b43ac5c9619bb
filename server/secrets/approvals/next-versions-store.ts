import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import {
  coversNextVersion,
  hasSameSlots,
  isBySameAuthor,
  nextVersionsEnd,
  shareOfConsumer,
  slotNamesOfVersion,
} from './next-versions-statement.ts'
import { type ApprovalListFilter, approvalsOf, type SecretApprovalRow } from './secret-approval-store.ts'

/** An approval with why its next versions are not covered, null while they are. */
export type ExtendedApprovalRow = SecretApprovalRow & { next_end: string | null }

/** `rows`: of a table expression with `company_id`, `id`, and the two states. */
const audited = (rows: string) => sql`
  insert into audit_pending (company_id, change, object_type, object_id, from_state, to_state)
  select company_id, 'state', 'next_versions', id, from_state, to_state from ${sql.table(rows)}`

/** Until the transaction ends no version of the task is published, which would not find an approval that is given meanwhile. */
export async function lockTask(
  trx: Trx,
  { companyId, id }: { companyId: string; id: string },
): Promise<void> {
  await sql`select from tasks where id = ${id} and company_id = ${companyId} for share`.execute(trx)
}

/**
 * Has an active approval cover the next versions after its own, as things are now. Undefined where no share reaches the
 * consumer.
 */
export async function coverNextVersions(
  trx: Trx,
  { id, company_id }: Pick<SecretApprovalRow, 'id' | 'company_id'>,
  { until, approvedBy }: { until: Date; approvedBy: string },
): Promise<ExtendedApprovalRow | undefined> {
  const { rows } = await sql<ExtendedApprovalRow>`
    with given as (
      select a.id, version.created_by, version.version_number, ${slotNamesOfVersion} as slot_names, ${shareOfConsumer} as share_id,
        case when a.next_until is null then '' when a.next_ended_at is null then 'active' else a.next_end_reason end as from_state
      from secret_approvals a
      join task_versions version on version.id = a.task_version_id and version.company_id = a.company_id
      where a.id = ${id} and a.company_id = ${company_id} and a.state = 'active'
      for update of a
    ), a as (
      update secret_approvals changed
      set next_until = ${until}, next_approved_by = ${approvedBy}, next_author_id = given.created_by,
        next_after = given.version_number, next_slot_names = given.slot_names,
        next_share_grant_id = given.share_id, next_ended_at = null, next_end_reason = null
      from given
      where changed.id = given.id and changed.company_id = ${company_id} and given.share_id is not null
      returning changed.*, given.from_state, 'active' as to_state
    ), audited as (${audited('a')})
    select a.*, ${nextVersionsEnd} as next_end from a
  `.execute(trx)
  return rows[0]
}

/** Records an end, once for each. `due` has `company_id`, `id` and `reason` of approvals. */
async function recordEnds(db: Executing, due: RawBuilder<unknown>, companies = sql``): Promise<number> {
  const { rows } = await sql<{ ended: number }>`${companies}
    with due as (${due}), ended as (
      update secret_approvals changed set next_ended_at = now(), next_end_reason = due.reason
      from due
      where changed.id = due.id and changed.company_id = due.company_id
        and changed.next_until is not null and changed.next_ended_at is null
      returning changed.company_id, changed.id, 'active' as from_state, due.reason as to_state
    ), audited as (${audited('ended')})
    select count(*)::int as ended from ended
  `.execute(db)
  return rows[0]?.ended ?? 0
}

/** Of an approval that is about to be revoked. */
export const endWithApproval = (
  trx: Trx,
  { id, company_id }: Pick<SecretApprovalRow, 'id' | 'company_id'>,
): Promise<number> =>
  recordEnds(
    trx,
    sql`
      select a.id, a.company_id, coalesce(${nextVersionsEnd}, 'revoked') as reason
      from secret_approvals a where a.id = ${id} and a.company_id = ${company_id}`,
  )

/** Of all that do not cover a version which is published, in the transaction that publishes it. */
export const endAtVersion = (
  trx: Trx,
  version: { id: string; task_id: string; company_id: string },
): Promise<number> =>
  recordEnds(
    trx,
    sql`
      select a.id, a.company_id,
        coalesce(${nextVersionsEnd}, case when ${isBySameAuthor} then 'other_slots' else 'other_author' end) as reason
      from task_versions version
      join secret_approvals a on a.company_id = version.company_id and a.task_id = version.task_id
      where version.id = ${version.id} and version.company_id = ${version.company_id} and version.task_id = ${version.task_id}
        and a.next_until is not null and a.next_ended_at is null and a.state = 'active'
        and a.task_version_id <> version.id and not (${isBySameAuthor} and ${hasSameSlots})
      order by a.id
      for update of a`,
  )

/** Looks at approvals after an id: how many, the last of them, and how many of them have ended. */
export async function endDue(
  db: Executing,
  { after, limit }: { after: string; limit: number },
): Promise<{ looked: number; last: string; ended: number }> {
  const reason = 'the worker records ends of all companies'
  const { rows } = await sql<{ looked: number; last: string | null }>`${acrossCompanies(reason)}
    select count(*)::int as looked, max(id) as last from (
      select a.id from secret_approvals a
      where a.next_until is not null and a.next_ended_at is null and a.id > ${after}
      order by a.id limit ${limit}
    ) page
  `.execute(db)
  const { looked = 0, last = null } = rows[0] ?? {}
  if (last === null) return { looked, last: '', ended: 0 }
  const due = sql`
    select a.id, a.company_id, ${nextVersionsEnd} as reason from secret_approvals a
    where a.next_until is not null and a.next_ended_at is null and a.id > ${after} and a.id <= ${last}
      and ${nextVersionsEnd} is not null
    order by a.id
    for update of a skip locked`
  return { looked, last, ended: await recordEnds(db, due, acrossCompanies(reason)) }
}

/** In the order of their ids. `versionId`: only those that count for the version now. */
export async function listExtendedApprovals(
  db: Executing,
  filter: ApprovalListFilter,
  versionId: string | undefined,
): Promise<ExtendedApprovalRow[]> {
  let query = approvalsOf(db, filter).select(nextVersionsEnd.as('next_end'))
  if (versionId !== undefined)
    query = query.where('a.state', '=', 'active').where(countsFor(filter.companyId, versionId))
  return query.execute()
}

const countsFor = (companyId: string, versionId: string): RawBuilder<SqlBool> => sql<SqlBool>`exists (
  select from task_versions version
  where version.id = ${versionId} and version.company_id = ${companyId}
    and (version.canonical_digest = a.task_version_digest or ${coversNextVersion})
)`
