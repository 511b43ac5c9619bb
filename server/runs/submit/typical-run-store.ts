import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/** Times and cost of earlier runs; null without any. */
export interface TypicalRuns {
  runs: number
  /** Seconds from start to end. */
  p50: number | null
  p95: number | null
  /** Median of the settled ones. */
  cost_micro: number | null
}

/** Newest runs of the task among which those of the version are looked for. */
const lookedAt = 1000
const sampled = 100

/** The newest runs of a version that were started and have ended, in all rooms of the company. */
export async function findTypicalRuns(
  db: Executing,
  { companyId, taskId, versionId }: { companyId: string; taskId: string; versionId: string },
): Promise<TypicalRuns> {
  const { rows } = await sql<TypicalRuns>`
    select count(*) as runs,
      percentile_cont(0.5) within group (order by seconds) as p50,
      percentile_cont(0.95) within group (order by seconds) as p95,
      percentile_disc(0.5) within group (order by cost_micro) as cost_micro
    from (
      select round(extract(epoch from newest.terminal_at - newest.started_at), 3)::float8 as seconds, charges.cost_micro
      from (
        select id, company_id, task_version_id, started_at, terminal_at, queued_at from runs
        where company_id = ${companyId} and task_id = ${taskId}
        order by queued_at desc, id desc limit ${lookedAt}
      ) newest
      left join charges on charges.subject_id = newest.id and charges.company_id = newest.company_id
      where newest.task_version_id = ${versionId} and newest.started_at is not null and newest.terminal_at is not null
      order by newest.queued_at desc, newest.id desc limit ${sampled}
    ) ended
  `.execute(db)
  const [row] = rows
  if (!row) throw new Error('runs were counted without a row')
  return row
}
