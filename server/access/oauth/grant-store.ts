import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { OAuthGrantsTable } from '../../db/tables/agents.ts'
import { managedDepartments, type UserAuthority } from '../authentication/caller-statement.ts'

/* Writes the table `oauth_grants`. */

export type GrantRow = Selectable<OAuthGrantsTable>

export interface GrantKey {
  companyId: string
  id: string
}

/** False if the grant exists, revoked or not. */
export async function insertGrant(
  trx: Trx,
  grant: Omit<GrantRow, 'refresh_sequence' | 'revoked_at'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('oauth_grants')
    .values(grant)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0) > 0
}

interface GrantsOfUser {
  companyId: string
  userId: string
}

export async function countGrantsSince(db: Executing, of: GrantsOfUser, since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('oauth_grants')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('company_id', '=', of.companyId)
    .where('user_id', '=', of.userId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes what a user has beyond `kept`: first what was not used for longest. Grants made after `since` stay. */
export async function dropOldGrants(
  trx: Trx,
  of: GrantsOfUser,
  { kept, since }: { kept: number; since: Date },
): Promise<void> {
  await sql`
    delete from oauth_grants where company_id = ${of.companyId} and user_id = ${of.userId} and id in (
      select id from oauth_grants where company_id = ${of.companyId} and user_id = ${of.userId}
      order by created_at > ${since} desc, refreshed_at desc, id offset ${kept})
  `.execute(trx)
}

export const findGrant = (db: Executing, key: GrantKey): Promise<GrantRow | undefined> =>
  db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .executeTakeFirst()

/** The person of a live grant, who may still log in as they did then. */
export async function findUserOfGrant(
  db: Executing,
  key: GrantKey & { roomId: string },
  at: Date,
): Promise<(UserAuthority & { user_id: string }) | undefined> {
  const { rows } = await sql<UserAuthority & { user_id: string }>`
    select owner.id as user_id, owner.company_id, owner.role, owner.disabled_at,
      ${managedDepartments} as managed_department_ids
    from oauth_grants granted
    join users owner on owner.id = granted.user_id and owner.company_id = granted.company_id
    where granted.id = ${key.id} and granted.company_id = ${key.companyId} and granted.chatroom_id = ${key.roomId}
      and granted.revoked_at is null and granted.expires_at > ${at}
      and owner.credential_generation = granted.credential_generation and owner.disabled_at is null
  `.execute(db)
  return rows[0]
}

/** Takes the next refresh token of a live grant in place of number `sequence`. Undefined unless that is the present one. */
export async function rotateGrant(
  db: Executing,
  key: GrantKey & { clientHash: Buffer; sequence: number },
  { at, idleUntil, lifetimeDays }: { at: Date; idleUntil: Date; lifetimeDays: number },
): Promise<GrantRow | undefined> {
  const { rows } = await sql<GrantRow>`
    update oauth_grants granted set
      refresh_sequence = refresh_sequence + 1, refreshed_at = ${at},
      expires_at = least(${idleUntil}::timestamptz, granted.created_at + ${lifetimeDays} * interval '1 day')
    from users owner
    where granted.id = ${key.id} and granted.company_id = ${key.companyId}
      and granted.client_hash = ${key.clientHash} and granted.refresh_sequence = ${key.sequence}
      and granted.revoked_at is null and granted.expires_at > ${at}
      and owner.id = granted.user_id and owner.company_id = granted.company_id
      and owner.credential_generation = granted.credential_generation and owner.disabled_at is null
    returning granted.*
  `.execute(db)
  return rows[0]
}

/** Ends a grant with all its tokens. Its row stays until `keptUntil`, so that nothing brings it back. */
export async function revokeGrant(
  db: Executing,
  key: GrantKey & { clientHash: Buffer },
  { at, keptUntil }: { at: Date; keptUntil: Date },
): Promise<void> {
  await db
    .updateTable('oauth_grants')
    .set({ revoked_at: at, expires_at: keptUntil })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .where('client_hash', '=', key.clientHash)
    .where('revoked_at', 'is', null)
    .execute()
}

const droppedAtOnce = 1000

/** Deletes grants whose time is over. */
export async function dropExpiredGrants(db: Executing, at: Date): Promise<{ dropped: number }> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from oauth_grants where id in (
      select id from oauth_grants where expires_at < ${at} order by expires_at limit ${droppedAtOnce})
  `.execute(db)
  return { dropped: Number(numAffectedRows ?? 0) }
}
