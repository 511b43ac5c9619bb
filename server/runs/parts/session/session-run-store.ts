import { sql } from 'kysely'
import { countUpTo } from '../../../db/count-up-to.ts'
import type { Executing, Trx } from '../../../db/database.ts'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'
import type { RunRow } from '../../model/run-row.ts'

/* The columns of the table `runs` that name a session, and the runs of a session. */

const shown = ['id', 'company_id', 'state', 'terminal_at', 'error_code', 'error_detail', 'exit_code'] as const

/** A run and how it ended. */
export type SessionRun = Pick<RunRow, (typeof shown)[number]> & {
  /** JSON; null where its time is over. */
  input: Buffer | null
}

interface SessionKey {
  companyId: string
  sessionId: string
}

interface KeyOfSession extends SessionKey {
  /** The API key or door that the runs were submitted with. */
  apiKeyId: string
}

const ofSession = (db: Executing, { companyId, sessionId, apiKeyId }: KeyOfSession) =>
  db
    .selectFrom('runs')
    .leftJoin('run_inputs as given', (join) =>
      join.onRef('given.run_id', '=', 'runs.id').onRef('given.company_id', '=', 'runs.company_id'),
    )
    .select(shown.map((column) => `runs.${column}` as const))
    .select('given.content as input')
    .where('runs.company_id', '=', companyId)
    .where('runs.session_id', '=', sessionId)
    .where('runs.api_key_id', '=', apiKeyId)

/** Newest first. */
export const listSessionRunRows = (db: Executing, key: KeyOfSession, limit: number): Promise<SessionRun[]> =>
  ofSession(db, key).orderBy('runs.queued_at', 'desc').orderBy('runs.id', 'desc').limit(limit).execute()

/** Runs that wait until the session is theirs, counted to `limit`. */
export const countWaiting = (
  db: Executing,
  { companyId, sessionId }: SessionKey,
  limit: number,
): Promise<number> =>
  countUpTo(
    db,
    sql`select from runs where company_id = ${companyId} and session_id = ${sessionId} and state = 'queued'
      and waits_for_session`,
    limit,
  )

/** Undefined for a run that has another session or key, or none. */
export const findSessionRun = (
  db: Executing,
  { id, ...key }: KeyOfSession & { id: string },
): Promise<SessionRun | undefined> => ofSession(db, key).where('runs.id', '=', id).executeTakeFirst()

/** The session of a run that was queued in the same transaction. `waits`: no claim takes the run until it holds the session. */
export const setSession = (
  trx: Trx,
  run: { id: string; company_id: string },
  { id, waits }: { id: string; waits: boolean },
): Promise<unknown> =>
  trx
    .updateTable('runs')
    .set({ session_id: id, waits_for_session: waits })
    .where('id', '=', run.id)
    .where('company_id', '=', run.company_id)
    .execute()

/** The sessions of runs of one company, by the id of the run. */
export async function findSessionIds(
  db: Executing,
  companyId: string,
  runIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'session_id'])
    .where('company_id', '=', companyId)
    .where('id', 'in', runIds)
    .where('session_id', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, session_id }) => [id, session_id ?? '']))
}

/** The session of a claimed run, as its row names it. */
interface JobSession {
  tree_id: string | null
  size_limit_bytes: number
}

export interface SessionRow {
  session_id: string | null
  /** Null for a run without one, and for a run that does not hold it. */
  session: JobSession | null
}

export const sessionColumns: ColumnExpressions<SessionRow> = {
  session_id: sql`run.session_id`,
  session: sql`(
      select jsonb_build_object('tree_id', session.tree_id, 'size_limit_bytes', session.size_limit_bytes)
      from sessions session where session.id = run.session_id and session.company_id = run.company_id
        and session.holder_run_id = run.id)`,
}
