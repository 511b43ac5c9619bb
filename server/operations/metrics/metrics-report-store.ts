import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/* Writes the table `process_metrics`. */

/** A process of an executor. */
export interface Reporter {
  executor: string
  process: 'worker' | 'builds' | 'backups'
}

export async function saveReport(
  db: Executing,
  { executor, process }: Reporter,
  metrics: unknown,
): Promise<void> {
  const text = JSON.stringify(metrics)
  await sql`
    insert into process_metrics (executor, process, metrics) values (${executor}, ${process}, ${text})
    on conflict (executor, process) do update set metrics = excluded.metrics, reported_at = excluded.reported_at`.execute(
    db,
  )
}

/** A process that the settings no longer ask for must not look like one that is silent. */
export async function removeReport(db: Executing, { executor, process }: Reporter): Promise<void> {
  await sql`delete from process_metrics where executor = ${executor} and process = ${process}`.execute(db)
}

export interface MetricsReport extends Reporter {
  /** By the database's clock. */
  age_seconds: number
  metrics: unknown
}

export async function listReports(db: Executing): Promise<MetricsReport[]> {
  const { rows } = await sql<MetricsReport>`
    select executor, process, extract(epoch from now() - reported_at)::float8 as age_seconds, metrics
    from process_metrics`.execute(db)
  return rows
}
