import { sql } from 'kysely'
import { countUpTo } from '../../../db/count-up-to.ts'
import type { Executing } from '../../../db/database.ts'
import type { RunRow } from '../../model/run-row.ts'

/* Reads the runs of a session. */

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
