import { sql } from 'kysely'
import type { Database } from '../../../server/db/database.ts'
import { foldRunCounts } from '../../../server/runs/history/fold-counts.ts'
import { foldLiveRuns } from '../../../server/runs/queue/live-run-store.ts'
import type { BenchTenant } from '../service/tenants.ts'
import { roomsInTurn } from './rooms-in-turn.ts'

/** Rows of one statement, which stays within the statement timeout. */
const batchRows = 20_000
const inputDigest = `sha256:${'2'.repeat(64)}`

/** Queues that many runs, shared evenly among the rooms of the companies, each a millisecond after the previous one. */
export async function insertQueuedRuns(
  db: Database,
  tenants: readonly BenchTenant[],
  total: number,
): Promise<void> {
  const rooms = roomsInTurn(tenants)
  for (let first = 0; first < total; first += batchRows) {
    const last = Math.min(first + batchRows, total) - 1
    await sql`
      with room as (
        ${rooms.rows}
      ), queued as (
        insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id,
          share_grant_id, resource_profile, principal_type, principal_id, auth_method, submission_source,
          timeout_seconds, input_digest, queued_at)
        select 'run_' || lpad(to_hex(n), 32, '0'), company_id, room.id, task_id, version_id, environment_version_id,
          share_id, 'standard', 'user', user_id, 'api_key', 'rest', 60, ${inputDigest}::text,
          now() - interval '1 hour' + n * interval '1 millisecond'
        from generate_series(${first}::bigint, ${last}::bigint) n
        join room on room.ordinal = n % ${rooms.count}::bigint + 1
        returning id, company_id
      )
      insert into run_inputs (run_id, company_id, content) select id, company_id, '{}'::bytea from queued
    `.execute(db)
  }
}

/** Brings the tables into the state in which the worker's sweeps and the database keep them. */
export async function settle(db: Database): Promise<void> {
  await foldRunCounts({ db })
  await foldLiveRuns({ db })
  await sql`vacuum (analyze) runs`.execute(db)
  await sql`analyze`.execute(db)
}

/** Ends a run that a benchmark queued or claimed. */
export const endRun = (db: Database, id: string): Promise<unknown> =>
  db.updateTable('runs').set({ state: 'cancelled', terminal_at: new Date() }).where('id', '=', id).execute()

/** Makes a completed run of each company in its first room; returns the ids in the order of the companies. */
export async function insertEndedRuns(db: Database, tenants: readonly BenchTenant[]): Promise<string[]> {
  await insertQueuedRuns(
    db,
    tenants,
    tenants.reduce((rooms, { roomIds }) => rooms + roomIds.length, 0),
  )
  await sql`update runs set state = 'completed', exit_code = 0, claimed_at = queued_at, started_at = queued_at,
    terminal_at = queued_at`.execute(db)
  const rows = await db.selectFrom('runs').select(['id', 'chatroom_id']).execute()
  const byRoom = new Map(rows.map((row) => [row.chatroom_id, row.id]))
  return tenants.map(({ roomIds }) => byRoom.get(roomIds[0] ?? '') ?? '')
}
