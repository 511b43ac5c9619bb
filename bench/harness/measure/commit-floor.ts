import { join } from 'node:path'
import { createLog } from '../../../server/base/logging.ts'
import { connect } from '../../../server/db/database.ts'
import { runningPostgresUrl } from '../../../server/postgres/running.ts'

/** The durable minimum of a run: one row is changed and synced when the run is claimed, and again when it ends. */
export interface CommitFloor {
  once(): Promise<number>
  close(): Promise<void>
}

/** Times two consecutive commits of one row each, in the service's own Postgres. */
export async function commitFloor(dataDir: string): Promise<CommitFloor> {
  const url = await runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === undefined) throw new Error('no Postgres has run on this data folder')
  const db = connect(url, { poolSize: 1, log: createLog('bench', 'warn'), name: 'bench' }).withTables<{
    bench_commits: { id: number; value: number }
  }>()
  await db.schema
    .createTable('bench_commits')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('value', 'integer')
    .execute()
  await db.insertInto('bench_commits').values({ id: 1, value: 0 }).execute()
  let value = 0
  const commit = () => {
    value += 1
    return db.updateTable('bench_commits').set({ value }).where('id', '=', 1).execute()
  }
  return {
    once: async () => {
      const startedAt = performance.now()
      await commit()
      await commit()
      return performance.now() - startedAt
    },
    close: () => db.destroy(),
  }
}
