import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'
import { prepared } from '../../db/fast/prepared.ts'
import { selectList } from '../../db/fast/row-text.ts'
import {
  joinKey,
  type KeyCredential,
  keyColumns,
  managedDepartments,
  type UserAuthority,
} from './caller-statement.ts'

/** A user as needed for authentication. */
export interface UserCredential extends UserAuthority {
  id: string
  credential_generation: number
}

const users = (db: Executing) =>
  db
    .selectFrom('users as owner')
    .select([
      'owner.id',
      'owner.company_id',
      'owner.role',
      'owner.credential_generation',
      'owner.disabled_at',
      managedDepartments.as('managed_department_ids'),
    ])

export const findUserCredential = (
  db: Executing,
  where: { companyId: string; userId: string },
): Promise<UserCredential | undefined> =>
  users(db)
    .where('owner.company_id', '=', where.companyId)
    .where('owner.id', '=', where.userId)
    .executeTakeFirst()

/** The same of a user who stays as they are until the transaction ends. */
export async function lockUserCredential(
  trx: Trx,
  where: { companyId: string; userId: string },
): Promise<UserCredential | undefined> {
  await trx
    .selectFrom('users')
    .select('id')
    .where('company_id', '=', where.companyId)
    .where('id', '=', where.userId)
    .forShare()
    .execute()
  // A statement that had to wait for the lock would have read the departments before it waited.
  return findUserCredential(trx, where)
}

/** By login name, which is unique in the deployment, so it also determines the company. */
export const findLogin = (
  db: Executing,
  login: string,
): Promise<(UserCredential & { password_hash: string | null }) | undefined> =>
  users(db)
    .modifyFront(acrossCompanies('a login finds the company'))
    .select('owner.password_hash')
    .where('owner.login', '=', login)
    .executeTakeFirst()

export interface SignInCredential extends UserCredential {
  sign_in_id: string
  created_at: Date
  last_used_at: Date
  expires_at: Date
}

/** The person who is signed in with this token, unless they have another password since; undefined if nobody is. */
export const findSignIn = (db: Executing, tokenHash: Buffer): Promise<SignInCredential | undefined> =>
  users(db)
    .modifyFront(acrossCompanies('the hash of a sign-in finds the company'))
    .innerJoin('sign_ins as sign_in', (join) =>
      join
        .onRef('sign_in.company_id', '=', 'owner.company_id')
        .onRef('sign_in.user_id', '=', 'owner.id')
        .onRef('sign_in.credential_generation', '=', 'owner.credential_generation'),
    )
    .select(['sign_in.id as sign_in_id', 'sign_in.created_at', 'sign_in.last_used_at', 'sign_in.expires_at'])
    .where('sign_in.token_hash', '=', tokenHash)
    .executeTakeFirst()

const keyCredentials = prepared<{ hashes: Buffer[] }, KeyCredential & { ordinal: number }>(
  ({ hashes }) => sql`
    select ${acrossCompanies('the hash of a key finds the company')} requested.ordinal, ${selectList(keyColumns)}
    from unnest(${arrayParam(hashes, 'bytea')}) with ordinality as requested (key_hash, ordinal) ${joinKey}`,
)

/** Finds keys by their keyed hashes, with their owners: one result per hash, undefined if no key has it. */
export async function findKeyCredentials(
  db: Executing,
  hashes: readonly Buffer[],
): Promise<(KeyCredential | undefined)[]> {
  const rows = await keyCredentials(db, { hashes: [...hashes] })
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]))
  return hashes.map((_, at) => byOrdinal.get(at + 1))
}

/** Records the use of a key, unless a use since `olderThan` is recorded. */
export async function touchKey(
  db: Executing,
  where: { companyId: string; keyId: string; olderThan: Date },
  at: Date,
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('company_id', '=', where.companyId)
    .where('id', '=', where.keyId)
    .where((where_) =>
      where_.or([where_('last_used_at', 'is', null), where_('last_used_at', '<', where.olderThan)]),
    )
    .execute()
}

/** Whether a person still has the door that a request came by. */
export async function isOpenDoor(
  db: Executing,
  door: { companyId: string; id: string; ownerUserId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('doors')
    .select('id')
    .where('company_id', '=', door.companyId)
    .where('id', '=', door.id)
    .where('owner_user_id', '=', door.ownerUserId)
    .executeTakeFirst()
  return row !== undefined
}

/** Stores a key under another pepper, unless another process already has. */
export async function rehashKey(
  db: Executing,
  key: { companyId: string; keyId: string; from: Buffer; to: { keyHash: Buffer; pepper: number } },
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ key_hash: key.to.keyHash, pepper: key.to.pepper })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.keyId)
    .where('key_hash', '=', key.from)
    .execute()
}
