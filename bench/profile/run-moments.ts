import { join } from 'node:path'
import { createLog } from '../../server/base/logging.ts'
import { connect } from '../../server/db/database.ts'
import { runningPostgresUrl } from '../../server/postgres/running.ts'
import type { TimedRun } from '../harness/load/submit-and-wait.ts'
import type { Moments } from './phases.ts'

/**
 * The steps of runs through the service, by the times in their rows; read from the database, so that nothing is
 * rounded.
 */
export async function runMoments(dataDir: string, runs: readonly TimedRun[]): Promise<Moments[]> {
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
        ['worker: commits; client: polls and receives it', run.sentAt + run.totalMs],
      ]
    })
  } finally {
    await db.destroy()
  }
}

const msOf = (time: Date | null | undefined): number => time?.getTime() ?? Number.NaN
