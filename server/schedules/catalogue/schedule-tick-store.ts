import { scheduleFailuresMax, scheduleTicksKept } from '@sandbox-jobs/contract/limits.ts'
import { type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { ScheduleTicksTable } from '../../db/tables/schedules.ts'
import type { ScheduleRow } from './schedule-store.ts'

/** Writes the table `schedule_ticks`. */

export type TickRow = Selectable<ScheduleTicksTable>

export type TickResult = { run_id: string } | { skipped_because: string }

type Ticking = Pick<ScheduleRow, 'company_id' | 'id' | 'next_at' | 'since'>

/** Whether the next tick of a locked schedule was handled before: the clock had been ahead. */
export async function existsTick(trx: Trx, { company_id, id, next_at }: Ticking): Promise<boolean> {
  const row = await trx
    .selectFrom('schedule_ticks')
    .select('due_at')
    .where('company_id', '=', company_id)
    .where('schedule_id', '=', id)
    .where('due_at', '=', next_at)
    .executeTakeFirst()
  return row !== undefined
}

/** Records the next tick of a locked schedule, and forgets its oldest ones. */
export async function insertTick(
  trx: Trx,
  { company_id, id, next_at }: Ticking,
  result: TickResult,
): Promise<void> {
  await trx
    .insertInto('schedule_ticks')
    .values({ company_id, schedule_id: id, due_at: next_at, ...result })
    .execute()
  await sql`
    delete from schedule_ticks where company_id = ${company_id} and schedule_id = ${id} and due_at < (
      select due_at from schedule_ticks where company_id = ${company_id} and schedule_id = ${id}
      order by due_at desc offset ${scheduleTicksKept - 1} limit 1
    )
  `.execute(trx)
}

export interface PastTicks {
  /** The last run that was started has not ended. */
  isLive: boolean
  /** Failures in a row: refused ticks, and runs that failed by themselves. */
  failures: number
}

/** Skips that say nothing about the task. */
const neutral = ['missed', 'previous_run_active', 'restored_from_backup']

/** The results of the ticks of a schedule since it was created, changed or resumed. */
export async function readPastTicks(db: Executing, { company_id, id, since }: Ticking): Promise<PastTicks> {
  const { rows } = await sql<PastTicks>`
    with past as (
      select t.due_at, t.run_id, t.skipped_because, t.due_at > ${since} as is_recent, run.state, run.terminal_at
      from schedule_ticks t
      left join lateral (
        select state, terminal_at, company_id from runs where runs.id = t.run_id limit 1
      ) run on run.company_id = t.company_id
      where t.company_id = ${company_id} and t.schedule_id = ${id}
    ), counted as (
      select due_at, coalesce(state = 'completed', false) as is_good from past
      where is_recent and (state in ('completed', 'customer_failed') or skipped_because <> all(${neutral}::text[]))
      order by due_at desc limit ${scheduleFailuresMax}
    )
    select
      exists (select from past where run_id is not null and terminal_at is null) as "isLive",
      (select count(*)::int from counted where due_at > coalesce(
        (select max(due_at) from counted where is_good), '-infinity')) as failures
  `.execute(db)
  return rows[0] ?? { isLive: false, failures: 0 }
}

/** The newest tick of each schedule of a company, by schedule. */
export async function findLastTicks(
  db: Executing,
  companyId: string,
  scheduleIds: readonly string[],
): Promise<Map<string, TickRow>> {
  if (scheduleIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('schedule_ticks')
    .selectAll()
    .distinctOn('schedule_id')
    .where('company_id', '=', companyId)
    .where('schedule_id', 'in', scheduleIds)
    .orderBy('schedule_id')
    .orderBy('due_at', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.schedule_id, row]))
}

/** Newest first. */
export function listTickRows(
  db: Executing,
  { company_id, id }: Pick<ScheduleRow, 'company_id' | 'id'>,
  { before, limit }: { before: Date | undefined; limit: number },
): Promise<TickRow[]> {
  let query = db
    .selectFrom('schedule_ticks')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('schedule_id', '=', id)
  if (before !== undefined) query = query.where('due_at', '<', before)
  return query.orderBy('due_at', 'desc').limit(limit).execute()
}
