import { runContentRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { deleteEventsOf } from '../../db/state-events.ts'
import { isDue } from '../../work/removal.ts'
import { artifactsNeeded, neededSources } from '../parts/files/run-file-store.ts'
import { runParts } from '../parts/run-parts.ts'
import { objectKeys } from '../results/collect-run.ts'

/* Writes `run_inputs`, `run_contents`, `run_refusals`, `run_artifacts` and the mark in `runs`, for content whose time is over. */

export interface ExpiredRun {
  id: string
  company_id: string
}

/**
 * Runs whose content is older than their company's retention time and of which no live run takes an artifact, and runs whose
 * content is already hidden. Reads company by company along an index of the runs that have content, so the cost does not
 * depend on the number of runs.
 */
export async function listExpiredRuns(db: Executing, now: Date, limit: number): Promise<ExpiredRun[]> {
  const { rows } = await sql<ExpiredRun>`${acrossCompanies('a sweep of all companies')}
    (select run_id as id, company_id from run_contents where state = 'delete_pending' and ${isDue(sql`run_id`, now)}
      order by run_id limit ${limit})
    union
    (select due.id, c.id as company_id from companies c
    left join company_settings s on s.company_id = c.id
    cross join lateral (
      select r.id from runs r
      where r.company_id = c.id and r.terminal_at is not null and r.content_expired_at is null
        and r.terminal_at < ${now}::timestamptz
          - make_interval(days => coalesce(s.run_content_retention_days, ${runContentRetentionDefaultDays}))
        and ${isDue(sql`r.id`, now)} and not ${artifactsNeeded(sql`r.id`)}
      order by r.terminal_at limit ${limit}
    ) due
    limit ${limit})
    limit ${limit}
  `.execute(db)
  return rows
}

/**
 * Those of the runs whose content may be retired in this transaction: their content is locked, so that no run takes an
 * artifact of it from now on, and none has since they were listed. A run that is locked already is left to a later round.
 */
export async function lockUnneeded(trx: Trx, runs: readonly ExpiredRun[]): Promise<ExpiredRun[]> {
  const { runIds, companyIds } = idsOf(runs)
  const held = await trx
    .selectFrom('run_contents')
    .select(['run_id', 'state'])
    .where('run_id', 'in', runIds)
    .where('company_id', 'in', companyIds)
    .execute()
  const active = held.filter(({ state }) => state === 'active').map(({ run_id }) => run_id)
  const locked = await trx
    .selectFrom('run_contents')
    .select('run_id')
    .where('run_id', '=', sql<string>`any(${active}::text[])`)
    .where('company_id', 'in', companyIds)
    .forUpdate()
    .skipLocked()
    .execute()
  const needed = await neededSources(trx, active)
  const free = new Set(locked.map(({ run_id }) => run_id).filter((id) => !needed.has(id)))
  return runs.filter(({ id }) => free.has(id) || !active.includes(id))
}

export interface ExpiringContent {
  runId: string
  companyId: string
  /** Keys of the run's objects. */
  keys: string[]
}

/** Hides the content from all readers; the objects still exist. Idempotent. */
export async function retireContent(trx: Trx, runs: readonly ExpiredRun[]): Promise<ExpiringContent[]> {
  const { runIds, companyIds } = idsOf(runs)
  await trx
    .deleteFrom('run_inputs')
    .where('run_id', 'in', runIds)
    .where('company_id', 'in', companyIds)
    .execute()
  for (const part of runParts) await part.retire?.(trx, runIds, companyIds)
  await trx
    .deleteFrom('run_refusals')
    .where('run_id', 'in', runIds)
    .where('company_id', 'in', companyIds)
    .execute()
  await trx
    .updateTable('run_contents')
    .set({ state: 'delete_pending' })
    .where('run_id', 'in', runIds)
    .where('company_id', 'in', companyIds)
    .where('state', '=', 'active')
    .execute()
  await trx
    .updateTable('run_artifacts')
    .set({ deletion_state: 'delete_pending' })
    .where('run_id', 'in', runIds)
    .where('company_id', 'in', companyIds)
    .where('deletion_state', '=', 'active')
    .execute()
  const left = await trx
    .selectFrom('runs as r')
    .leftJoin('run_contents as c', 'c.run_id', 'r.id')
    .select(['r.id', 'r.company_id', 'r.sandbox_id', 'c.output_key', 'c.log_key', 'c.bundle_key'])
    .where('r.id', 'in', runIds)
    .where('r.company_id', 'in', companyIds)
    .execute()
  return left.map(({ id: runId, company_id: companyId, sandbox_id: sandboxId, ...named }) => {
    const keys = [named.output_key, named.log_key, named.bundle_key].filter((key) => key !== null)
    // A killed worker may have stored objects that no row refers to.
    const unnamed = sandboxId === null ? [] : objectKeys({ runId, sandboxId })
    return { runId, companyId, keys: [...new Set([...keys, ...unnamed])] }
  })
}

/** Inserts the row by which the sweep finds a run that has no content except its input. */
export const markDeleted = (trx: Trx, run: { id: string; company_id: string }): Promise<unknown> =>
  trx
    .insertInto('run_contents')
    .values({ run_id: run.id, company_id: run.company_id, state: 'delete_pending' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Records that the objects are deleted, and deletes the runs' events. Names, sizes and digests remain as a record. */
export async function tombstoneContent(trx: Trx, runs: readonly ExpiredRun[], now: Date): Promise<void> {
  const { runIds, companyIds } = idsOf(runs)
  await trx
    .updateTable('run_contents')
    .set({ state: 'tombstoned', output_key: null, log_key: null, bundle_key: null })
    .where('run_id', 'in', runIds)
    .where('company_id', 'in', companyIds)
    .where('state', '=', 'delete_pending')
    .execute()
  await trx
    .updateTable('run_artifacts')
    .set({ deletion_state: 'tombstoned' })
    .where('run_id', 'in', runIds)
    .where('company_id', 'in', companyIds)
    .where('deletion_state', '=', 'delete_pending')
    .execute()
  await deleteEventsOf(trx, runMachine, runs)
  await trx
    .updateTable('runs')
    .set({ content_expired_at: now })
    .where('id', 'in', runIds)
    .where('company_id', 'in', companyIds)
    .execute()
}

const idsOf = (runs: readonly ExpiredRun[]) => ({
  runIds: runs.map(({ id }) => id),
  companyIds: [...new Set(runs.map(({ company_id }) => company_id))],
})
