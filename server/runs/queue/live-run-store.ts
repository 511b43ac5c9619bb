import { type RawBuilder, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database, Executing } from '../../db/database.ts'
import { inBatches } from '../../work/sweep.ts'

/*
 * Writes `live_run_counts`. Triggers insert the rows of `live_run_changes` (`db/schema/queue.sql`);
 * `capacity/live-runs-statement.ts` adds both.
 */

const batchRows = 5000

/** Rows of rooms, of companies and of executors, from rows of the rooms of an executor. */
const levels = sql`coalesce(company_id, '') as company_id, coalesce(chatroom_id, '') as chatroom_id,
        coalesce(executor, '') as executor, resource_profile`
const byLevel = sql`group by resource_profile, grouping sets ((company_id, chatroom_id), company_id, executor)`

const addToCounts = (rows: RawBuilder<unknown>) => sql`
      insert into live_run_counts (company_id, chatroom_id, executor, resource_profile, runs) ${rows} order by 1, 2, 3, 4
      on conflict (company_id, chatroom_id, executor, resource_profile) do update set runs = live_run_counts.runs + excluded.runs`

/** One round of the loop that folds recorded changes into the numbers of rooms, of companies and of executors. */
export async function foldLiveRuns({ db }: { db: Database }): Promise<{ folded: number }> {
  const folded = await inBatches(batchRows, (limit) => foldOnce(db, limit))
  if (folded > 0) await deleteUnused(db)
  return { folded }
}

async function foldOnce(db: Database, limit: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`${acrossCompanies('a sweep of all companies')}
    with due as materialized (
      select ctid as at from live_run_changes limit ${limit} for update skip locked
    ), taken as (
      delete from live_run_changes where ctid = any(array(select at from due))
      returning company_id, chatroom_id, executor, resource_profile, runs
    ), folded as (
      ${addToCounts(sql`select ${levels}, sum(runs) from taken ${byLevel} having sum(runs) <> 0`)}
    )
    select count(*) as folded from taken
  `.execute(db)
  return rows[0]?.folded ?? 0
}

/** Rooms, companies and executors without runs at work have no row. Waiting for rows that another worker folds could deadlock. */
const deleteUnused = (db: Database): Promise<unknown> =>
  sql`${acrossCompanies('a sweep of all companies')}
    delete from live_run_counts where ctid = any(array(
      select ctid from live_run_counts where runs = 0 for update skip locked
    ))`.execute(db)

/** The number of a room, of a company or of an executor that was not the number of its runs. */
export interface LiveRunDrift {
  company_id: string
  chatroom_id: string
  executor: string
  resource_profile: string
  counted: number
  found: number
}

/**
 * Compares the numbers with the runs themselves and corrects those that differ, one worker at a time. One statement, so that both
 * sides are of one snapshot.
 */
export function recountLiveRuns(db: Database): Promise<LiveRunDrift[]> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('recount of live runs', 0))`.execute(trx)
    return correctDrift(trx)
  })
}

async function correctDrift(db: Executing): Promise<LiveRunDrift[]> {
  const { rows } = await sql<LiveRunDrift>`${acrossCompanies('a sweep of all companies')}
    with found as (
      select ${levels}, count(*) as runs from runs where state in ('starting', 'running', 'cancel_requested')
      ${byLevel}
    ), counted as (
      select company_id, chatroom_id, executor, resource_profile, sum(runs)::bigint as runs from (
        select company_id, chatroom_id, executor, resource_profile, runs from live_run_counts
        union all select ${levels}, sum(runs) from live_run_changes ${byLevel}
      ) parts group by company_id, chatroom_id, executor, resource_profile
    ), drift as (
      select company_id, chatroom_id, executor, resource_profile, coalesce(counted.runs, 0) as counted, coalesce(found.runs, 0) as found
      from found full join counted using (company_id, chatroom_id, executor, resource_profile)
      where coalesce(found.runs, 0) <> coalesce(counted.runs, 0)
    ), corrected as (
      ${addToCounts(sql`select company_id, chatroom_id, executor, resource_profile, found - counted from drift`)}
    )
    select * from drift order by company_id, chatroom_id, executor, resource_profile
  `.execute(db)
  return rows
}
