import { notFound } from '../../../base/errors/coded-error.ts'
import type { Executing } from '../../../db/database.ts'
import { countWaiting, findSessionRun, listSessionRunRows, type SessionRun } from './session-run-store.ts'

/*
 * The runs of a session, for callers that have found it as one of their own. A run that they read was submitted with the key
 * of the session, so form and size of its input are known.
 */

export type { SessionRun }

interface FoundSession {
  id: string
  company_id: string
}

const keyOf = ({ id, company_id }: FoundSession) => ({ companyId: company_id, sessionId: id })

/** Newest first. */
export const listSessionRuns = (
  db: Executing,
  session: FoundSession,
  of: { apiKeyId: string; limit: number },
): Promise<SessionRun[]> => listSessionRunRows(db, { ...keyOf(session), apiKeyId: of.apiKeyId }, of.limit)

/** Throws `not_found` for a run that has another session or key, or none. */
export async function readSessionRun(
  db: Executing,
  session: FoundSession,
  of: { apiKeyId: string; id: string },
): Promise<SessionRun> {
  const run = await findSessionRun(db, { ...keyOf(session), ...of })
  if (!run) throw notFound()
  return run
}

/** Whether so many runs, or more, wait until the session is theirs. */
export const hasWaitingRuns = async (db: Executing, session: FoundSession, count: number): Promise<boolean> =>
  (await countWaiting(db, keyOf(session), count)) >= count
