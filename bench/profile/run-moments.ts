import { join } from 'node:path'
import { createLog } from '../../server/base/logging.ts'
import { connect } from '../../server/db/database.ts'
import { runningPostgresUrl } from '../../server/postgres/running.ts'
import type { Moments } from './phases.ts'

/** A run as its client sees it. */
export interface ProfiledRun {
  id: string
  /** Milliseconds since 1970 when the request was sent. */
  sentAt: number
  /** From before the request was sent until a response said that the run has ended. */
  totalMs: number
}

/**
 * The steps of runs through the service, by the times in their rows; read from the database, so that nothing is
 * rounded.
 */
export async function runMoments(dataDir: string, runs: readonly ProfiledRun[]): Promise<Moments[]> {
  const url = await runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === undefined) throw new Error('no Postgres has run on this data folder')
  const db = connect(url, { poolSize: 1, log: createLog('bench', 'warn'), name: 'bench' })
  try {
    const ids = runs.map((run) => run.id)
    const rows = await db
      .selectFrom('runs')
      .select(['id', 'queued_at', 'claimed_at', 'started_at', 'terminal_at'])
      .where('id', 'in', ids)
      .execute()
    const byId = new Map(rows.map((row) => [row.id, row]))
    return runs.map((run) => {
      const row = byId.get(run.id)
      return [
        ['sent', run.sentAt],
        ['api: checks until its transaction starts', msOf(row?.queued_at)],
        ['api: transaction; worker: wakes and claims', msOf(row?.claimed_at)],
        ['worker: reads the job; executor: starts it', msOf(row?.started_at)],
        ['executor: the job; worker: collects, finishes', msOf(row?.terminal_at)],
        ['worker: commits; client: polls or is answered', run.sentAt + run.totalMs],
      ]
    })
  } finally {
    await db.destroy()
  }
}

const msOf = (time: Date | null | undefined): number => time?.getTime() ?? Number.NaN
