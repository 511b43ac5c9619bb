import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/* Writes the table `process_metrics`. */

export async function saveReport(db: Executing, process: string, metrics: unknown): Promise<void> {
  const text = JSON.stringify(metrics)
  await sql`
    insert into process_metrics (process, metrics) values (${process}, ${text})
    on conflict (process) do update set metrics = excluded.metrics, reported_at = excluded.reported_at`.execute(
    db,
  )
}

/** A process that the settings no longer ask for must not look like one that is silent. */
export async function removeReport(db: Executing, process: string): Promise<void> {
  await sql`delete from process_metrics where process = ${process}`.execute(db)
}

export interface MetricsReport {
  process: string
  /** By the database's clock. */
  age_seconds: number
  metrics: unknown
}

export async function listReports(db: Executing): Promise<MetricsReport[]> {
  const { rows } = await sql<MetricsReport>`
    select process, extract(epoch from now() - reported_at)::float8 as age_seconds, metrics from process_metrics`.execute(
    db,
  )
  return rows
}
