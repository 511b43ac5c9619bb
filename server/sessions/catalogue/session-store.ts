import { type Insertable, type Selectable, sql } from 'kysely'
import type { Principal } from '../../access/principal.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { SessionsTable } from '../../db/tables/sessions.ts'

/* Writes the table `sessions`. A trigger gives a session to the next run when the run that holds it ends. */

export type SessionRow = Selectable<SessionsTable>

/** The sessions of one person in a room; for a restricted key those that it created. */
export interface SessionOwner extends Pick<Principal, 'companyId' | 'principalType' | 'principalId'> {
  chatroomId: string
  apiKeyId: string | undefined
}

/** The sessions of everybody in a room. */
export type SessionRoom = Pick<SessionOwner, 'companyId' | 'chatroomId'>

const keptUntil = (hours: ReturnType<typeof sql>) => sql<Date>`now() + make_interval(hours => ${hours})`

type NewSession = Pick<
  Insertable<SessionsTable>,
  'id' | 'name' | 'size_limit_bytes' | 'keep_hours' | 'tree_id' | 'byte_size' | 'file_count'
>

const inserting = (trx: Trx, owner: SessionOwner, session: NewSession & { person?: string }) =>
  trx.insertInto('sessions').values({
    ...session,
    company_id: owner.companyId,
    chatroom_id: owner.chatroomId,
    principal_type: owner.principalType,
    principal_id: owner.principalId,
    api_key_id: owner.apiKeyId ?? null,
    holder_run_id: null,
    expires_at: keptUntil(sql`${session.keep_hours}::int`),
  })

export const insertSession = (trx: Trx, owner: SessionOwner, session: NewSession): Promise<SessionRow> =>
  inserting(trx, owner, session).returningAll().executeTakeFirstOrThrow()

/** Inserts the session of a person, unless another request has done so. */
export const insertPersonSession = (
  trx: Trx,
  owner: SessionOwner,
  session: NewSession & { person: string },
): Promise<unknown> =>
  inserting(trx, owner, session)
    .onConflict((conflict) =>
      conflict.columns(['api_key_id', 'person']).where('person', 'is not', null).doNothing(),
    )
    .execute()

/** A reader of sessions does not depend on the sweep. One that a run holds does not expire. */
const sessionsOfRoom = (db: Executing, { companyId, chatroomId }: SessionRoom) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('chatroom_id', '=', chatroomId)
    .where((where) =>
      where.or([where('expires_at', '>', sql<Date>`now()`), where('holder_run_id', 'is not', null)]),
    )

function sessions(db: Executing, whose: SessionOwner | SessionRoom) {
  const ofRoom = sessionsOfRoom(db, whose)
  if (!('principalId' in whose)) return ofRoom
  const query = ofRoom
    .where('principal_type', '=', whose.principalType)
    .where('principal_id', '=', whose.principalId)
  return whose.apiKeyId === undefined ? query : query.where('api_key_id', '=', whose.apiKeyId)
}

export const findSession = (
  db: Executing,
  owner: SessionOwner,
  id: string,
): Promise<SessionRow | undefined> => sessions(db, owner).where('id', '=', id).executeTakeFirst()

/** The session of a user of a platform, which the restricted key of the owner created. */
export const findPersonSession = (
  db: Executing,
  owner: SessionOwner,
  person: string,
): Promise<SessionRow | undefined> => sessions(db, owner).where('person', '=', person).executeTakeFirst()

/** Makes space for another one: an expired session of the person that no sweep has deleted yet. */
export const deleteExpiredOfPerson = (
  trx: Trx,
  { companyId, apiKeyId }: SessionOwner,
  person: string,
): Promise<unknown> =>
  trx
    .deleteFrom('sessions')
    .where('company_id', '=', companyId)
    .where('api_key_id', '=', apiKeyId ?? '')
    .where('person', '=', person)
    .where('expires_at', '<=', sql<Date>`now()`)
    .where('holder_run_id', 'is', null)
    .execute()

/** Newest first; ids are ordered by time. */
export function listSessionRows(
  db: Executing,
  whose: SessionOwner | SessionRoom,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<SessionRow[]> {
  const query = sessions(db, whose).orderBy('id', 'desc').limit(limit)
  return (beforeId === undefined ? query : query.where('id', '<', beforeId)).execute()
}

/** The session, locked against changes, runs that would take it, and deletion. */
export const lockSession = (
  trx: Trx,
  whose: SessionOwner | SessionRoom,
  id: string,
): Promise<SessionRow | undefined> => sessions(trx, whose).where('id', '=', id).forUpdate().executeTakeFirst()

/** The session, locked against changes and deletion: others may read it in the same way. */
export const shareSession = (trx: Trx, owner: SessionOwner, id: string): Promise<SessionRow | undefined> =>
  sessions(trx, owner).where('id', '=', id).forShare().executeTakeFirst()

/** Points the session to another tree. */
export const pointToTree = (
  trx: Trx,
  session: Pick<SessionRow, 'id' | 'company_id'>,
  tree: { id: string; byteSize: number; fileCount: number },
): Promise<SessionRow> =>
  trx
    .updateTable('sessions')
    .set({
      tree_id: tree.id,
      byte_size: tree.byteSize,
      file_count: tree.fileCount,
      revision: sql<number>`revision + 1`,
      last_used_at: sql<Date>`now()`,
      expires_at: keptUntil(sql`keep_hours`),
    })
    .where('id', '=', session.id)
    .where('company_id', '=', session.company_id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Gives a locked session to a run, unless another one holds it. */
export const takeSession = (
  trx: Trx,
  session: Pick<SessionRow, 'id' | 'company_id'>,
  runId: string,
): Promise<unknown> =>
  trx
    .updateTable('sessions')
    .set({ holder_run_id: runId })
    .where('id', '=', session.id)
    .where('company_id', '=', session.company_id)
    .where('holder_run_id', 'is', null)
    .execute()

export const deleteSessionRow = (
  trx: Trx,
  session: Pick<SessionRow, 'id' | 'company_id'>,
): Promise<unknown> =>
  trx
    .deleteFrom('sessions')
    .where('id', '=', session.id)
    .where('company_id', '=', session.company_id)
    .execute()

/** The session of a run that holds it; undefined for any other run. */
export const findHeldSession = (
  db: Executing,
  run: { id: string; companyId: string },
): Promise<Pick<SessionRow, 'id' | 'tree_id'> | undefined> =>
  db
    .selectFrom('sessions')
    .select(['id', 'tree_id'])
    .where('holder_run_id', '=', run.id)
    .where('company_id', '=', run.companyId)
    .executeTakeFirst()

/** Deletes sessions that were not used for their time. Returns their number. */
export async function deleteExpiredSessions(trx: Trx, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from sessions where id in (
      select id from sessions where expires_at <= ${now} and holder_run_id is null
      order by expires_at limit ${limit} for update skip locked
    )`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
