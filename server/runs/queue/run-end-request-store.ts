import { type Insertable, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { RunEndRequestsTable } from '../../db/tables/audit.ts'

/* Writes the table `run_end_requests`. */

export type RunEndRequest = Selectable<RunEndRequestsTable>

/** Inserts a request, or renews that for the same runs. Returns false if there are `max` others already. */
export async function putRunEndRequest(
  db: Executing,
  { company_id, run_id, account }: Insertable<RunEndRequestsTable>,
  max: number,
): Promise<boolean> {
  const { numAffectedRows } =
    await sql`${acrossCompanies('operators have one list of requests for all companies')}
    insert into run_end_requests (company_id, run_id, account)
    select ${company_id}, ${run_id}, ${account}
    where (select count(*) from run_end_requests
      where (company_id, run_id) is distinct from (${company_id}::text, ${run_id}::text)) < ${max}
    on conflict (company_id, run_id) do update
      set requested_at = clock_timestamp(), account = ${account}`.execute(db)
  return numAffectedRows === 1n
}

/** The oldest first. */
export async function listRunEndRequests(db: Executing): Promise<RunEndRequest[]> {
  const { rows } = await sql<RunEndRequest>`${acrossCompanies('the operator ends runs of all companies')}
    select * from run_end_requests order by id`.execute(db)
  return rows
}

/** Locks a request, so that nobody renews it meanwhile. Returns false if it is fulfilled, or another worker has it locked. */
export async function lockRunEndRequest(trx: Trx, { id, company_id }: RunEndRequest): Promise<boolean> {
  const { rows } = await sql`select from run_end_requests where company_id = ${company_id} and id = ${id}
    for update skip locked`.execute(trx)
  return rows.length > 0
}

export async function deleteRunEndRequest(db: Executing, { id, company_id }: RunEndRequest): Promise<void> {
  await db.deleteFrom('run_end_requests').where('company_id', '=', company_id).where('id', '=', id).execute()
}

/** Runs of the company that were queued when the request was made, and still are. */
export async function lockQueuedRunsOf(
  trx: Trx,
  { id, company_id }: RunEndRequest,
  limit: number,
): Promise<{ id: string; company_id: string }[]> {
  const { rows } = await sql<{ id: string; company_id: string }>`
    select id, company_id from runs where company_id = ${company_id} and state = 'queued' and queued_at <= (
      select requested_at from run_end_requests request where request.id = ${id} and request.company_id = ${company_id}
    ) order by queued_at, id limit ${limit} for update
  `.execute(trx)
  return rows
}

export async function countQueuedRuns(db: Executing, companyId: string): Promise<number> {
  const { rows } = await sql<{ queued: number }>`
    select count(*)::int as queued from runs where company_id = ${companyId} and state = 'queued'`.execute(db)
  return rows[0]?.queued ?? 0
}

/** The company of a run that has not ended. */
export async function findCompanyOfLiveRun(db: Executing, id: string): Promise<string | undefined> {
  const { rows } = await sql<{
    company_id: string
  }>`${acrossCompanies('an operator ends a run of a company')}
    select company_id from runs
    where id = ${id} and state in ('queued', 'starting', 'running', 'cancel_requested')`.execute(db)
  return rows[0]?.company_id
}
