import { sql } from 'kysely'
import type { Database } from '../../../server/db/database.ts'
import type { BenchTenant } from '../service/tenants.ts'
import { roomsInTurn } from './rooms-in-turn.ts'

/** Rows of one statement, which stays within the statement timeout. */
const batchRows = 5000

/**
 * Inserts completed runs with an input, their events and content, shared evenly among the rooms of the companies, a second apart up
 * to `daysAgo`. `first` numbers them: no two calls give the same number.
 */
export async function insertHistory(
  db: Database,
  tenants: readonly BenchTenant[],
  { first, count, daysAgo }: { first: number; count: number; daysAgo: number },
): Promise<void> {
  const rooms = roomsInTurn(tenants)
  for (let from = first; from < first + count; from += batchRows) {
    const until = Math.min(from + batchRows, first + count)
    await sql`
      with room as (
        ${rooms.rows}
      ), ended as (
        insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, share_grant_id,
          resource_profile, principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest,
          state, exit_code, fence, worker, executor, sandbox_id, queued_at, claimed_at, started_at, terminal_at)
        select 'run_e' || lpad(to_hex(n), 31, '0'), company_id, room.id, task_id, version_id, environment_version_id, share_id,
          'standard', 'user', user_id, 'api_key', 'rest', 60, 'sha256', 'completed', 0, 1, 'bench', 'bench', 'bench', at, at, at, at
        from generate_series(${from}::bigint, ${until - 1}::bigint) n
        cross join lateral (
          select now() - make_interval(days => ${daysAgo}::int, secs => ${first + count}::bigint - n) as at
        ) ended
        join room on room.ordinal = n % ${rooms.count}::bigint + 1
        returning id, company_id
      ), inputs as (
        insert into run_inputs (run_id, company_id, content) select id, company_id, '{}'::bytea from ended
      ), contents as (
        insert into run_contents (run_id, company_id, log_key, log_bytes) select id, company_id, id, 100 from ended
      )
      insert into state_events (company_id, entity, entity_id, from_state, to_state)
      select company_id, 'run', id, passed.state, passed.next from ended
      cross join (values ('', 'queued'), ('queued', 'starting'), ('starting', 'running'), ('running', 'completed')) passed (state, next)
    `.execute(db)
  }
}
