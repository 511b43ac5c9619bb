import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import { type ExceptionState, exceptionMachine } from '@sandbox-jobs/contract/states/finding-states.ts'
import { type Insertable, type SqlBool, sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import { deleteEventsOf } from '../db/state-events.ts'
import type { SecurityExceptionsTable } from '../db/tables/findings.ts'
import { recordCreated, transition } from '../db/transition.ts'
import type { ExceptionRow } from './finding.ts'

/*
 * A transaction that creates or ends an exception has locked its finding (`finding-store.ts`). A second order of locks would be a
 * deadlock, and without the lock a scan may show the finding again by an exception that is just ending.
 */

export async function insertException(
  trx: Trx,
  exception: Insertable<SecurityExceptionsTable>,
): Promise<ExceptionRow> {
  const row = await trx
    .insertInto('security_exceptions')
    .values(exception)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: exceptionMachine,
    id: row.id,
    companyId: row.company_id,
    state: exceptionMachine.initial,
  })
  return row
}

/** Ends an active exception. Undefined if it is no longer active. */
export const endException = (
  trx: Trx,
  { id, company_id }: Pick<ExceptionRow, 'id' | 'company_id'>,
  to: Exclude<ExceptionState, 'active'>,
): Promise<ExceptionState | undefined> =>
  transition(trx, {
    table: 'security_exceptions',
    machine: exceptionMachine,
    id,
    companyId: company_id,
    to,
    set: { ended_at: sql`now()` },
  })

export const findException = (
  db: Executing,
  key: { companyId: string; environmentId: string; exceptionId: string },
): Promise<ExceptionRow | undefined> =>
  db
    .selectFrom('security_exceptions')
    .selectAll()
    .where('id', '=', key.exceptionId)
    .where('company_id', '=', key.companyId)
    .where('environment_id', '=', key.environmentId)
    .executeTakeFirst()

/** Active exceptions of the given findings. */
export async function listActiveExceptions(
  db: Executing,
  companyId: string,
  findingIds: readonly string[],
): Promise<ExceptionRow[]> {
  if (findingIds.length === 0) return []
  return db
    .selectFrom('security_exceptions')
    .selectAll()
    .where('company_id', '=', companyId)
    .where(sql<SqlBool>`finding_id = any(${findingIds}::text[])`)
    .where('state', '=', 'active')
    .execute()
}

/** Newest first. */
export async function listExceptionRows(
  db: Executing,
  of: { companyId: string; environmentId: string },
  list: { lifecycle: Lifecycle; beforeId: string | undefined; limit: number },
): Promise<ExceptionRow[]> {
  let query = db
    .selectFrom('security_exceptions')
    .selectAll()
    .where('company_id', '=', of.companyId)
    .where('environment_id', '=', of.environmentId)
    .orderBy('id', 'desc')
    .limit(list.limit)
  if (list.lifecycle !== 'all')
    query = query.where('state', list.lifecycle === 'active' ? '=' : '<>', 'active')
  if (list.beforeId !== undefined) query = query.where('id', '<', list.beforeId)
  return query.execute()
}

/** Expired exceptions. */
export const listOverdueExceptions = (db: Executing, now: Date, limit: number) =>
  db
    .selectFrom('security_exceptions')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select(['id', 'company_id', 'environment_id', 'finding_id'])
    .where('state', '=', 'active')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()

/** Deletes exceptions that ended before that time, with their history. The audit log records each. */
export async function deleteOldExceptions(trx: Trx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{
    id: string
    company_id: string
  }>`${acrossCompanies('a sweep of all companies')}
    delete from security_exceptions where id in (
      select id from security_exceptions where state <> 'active' and ended_at < ${before}
      order by ended_at limit ${limit} for update skip locked
    ) returning id, company_id
  `.execute(trx)
  await deleteEventsOf(trx, exceptionMachine, rows)
  return rows.length
}
