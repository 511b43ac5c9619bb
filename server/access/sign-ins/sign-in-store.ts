import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { SignInsTable } from '../../db/tables/platform.ts'

/* Writes the table `sign_ins`. */

export type SignInRow = Selectable<SignInsTable>

export interface PersonKey {
  companyId: string
  userId: string
}

const ofPerson = (db: Executing, { companyId, userId }: PersonKey) =>
  db.deleteFrom('sign_ins').where('company_id', '=', companyId).where('user_id', '=', userId)

/** False if the state of the provider was used before. */
export async function insertSignIn(db: Executing, row: SignInRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('sign_ins')
    .values(row)
    .onConflict((conflict) => conflict.column('provider_state_hash').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes what a person has beyond `kept`: first what was not used for longest. */
export async function dropOldSignIns(db: Executing, of: PersonKey, kept: number): Promise<void> {
  await sql`
    delete from sign_ins where company_id = ${of.companyId} and user_id = ${of.userId} and id in (
      select id from sign_ins where company_id = ${of.companyId} and user_id = ${of.userId}
      order by last_used_at desc, id desc offset ${kept})
  `.execute(db)
}

/** Those that a request may be made in, the last used first. */
export const listSignInRows = (
  db: Executing,
  { companyId, userId }: PersonKey,
  now: Date,
): Promise<SignInRow[]> =>
  db
    .selectFrom('sign_ins as sign_in')
    .innerJoin('users as owner', (join) =>
      join
        .onRef('owner.company_id', '=', 'sign_in.company_id')
        .onRef('owner.id', '=', 'sign_in.user_id')
        .onRef('owner.credential_generation', '=', 'sign_in.credential_generation'),
    )
    .selectAll('sign_in')
    .where('sign_in.company_id', '=', companyId)
    .where('sign_in.user_id', '=', userId)
    .where('sign_in.expires_at', '>', now)
    .orderBy('sign_in.last_used_at', 'desc')
    .orderBy('sign_in.id', 'desc')
    .execute()

/** Records a use, unless one since `olderThan` is recorded. */
export async function touchSignIn(
  db: Executing,
  where: { companyId: string; id: string; olderThan: Date },
  use: { last_used_at: Date; expires_at: Date },
): Promise<void> {
  await db
    .updateTable('sign_ins')
    .set(use)
    .where('company_id', '=', where.companyId)
    .where('id', '=', where.id)
    .where('last_used_at', '<', where.olderThan)
    .execute()
}

export async function deleteSignIn(db: Executing, of: PersonKey, id: string): Promise<number> {
  const { numDeletedRows } = await ofPerson(db, of).where('id', '=', id).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export async function deleteOtherSignIns(
  db: Executing,
  of: PersonKey,
  kept: string | undefined,
): Promise<number> {
  const { numDeletedRows } = await ofPerson(db, of)
    .$if(kept !== undefined, (query) => query.where('id', '!=', kept ?? ''))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Ends the other sign-ins of a person whose password was changed in this transaction; the kept one goes on under the new one. */
export async function keepSignInAlone(trx: Trx, of: PersonKey, kept: string | undefined): Promise<number> {
  const ended = await deleteOtherSignIns(trx, of, kept)
  if (kept === undefined) return ended
  await sql`
    update sign_ins set credential_generation = owner.credential_generation from users owner
    where owner.id = ${of.userId} and owner.company_id = ${of.companyId}
      and sign_ins.id = ${kept} and sign_ins.user_id = owner.id and sign_ins.company_id = owner.company_id
  `.execute(trx)
  return ended
}

/** Whether it was neither ended nor dropped; its end by time is not looked at. */
export async function existsSignIn(db: Executing, of: PersonKey, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('sign_ins')
    .select('id')
    .where('company_id', '=', of.companyId)
    .where('user_id', '=', of.userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** Ends the sign-ins of everybody. */
export async function deleteAllSignIns(db: Executing): Promise<void> {
  await sql`${acrossCompanies('the operator ends all logins')} delete from sign_ins`.execute(db)
}

const droppedAtOnce = 1000

/** Deletes sign-ins whose time is over. */
export async function dropExpiredSignIns(db: Executing, now: Date): Promise<{ dropped: number }> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from sign_ins where id in (
      select id from sign_ins where expires_at <= ${now} order by expires_at limit ${droppedAtOnce})
  `.execute(db)
  return { dropped: Number(numAffectedRows ?? 0) }
}
