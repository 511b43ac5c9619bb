import { type Selectable, sql } from 'kysely'
import { newId } from '../../base/ids.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import type { ApiKeysTable } from '../../db/tables/platform.ts'
import type { Stretch } from '../directory/platform.ts'
import type { Principal } from '../principal.ts'

const columns = [
  'id',
  'company_id',
  'owner_user_id',
  'name',
  'scope',
  'allowed_chatroom_ids',
  'domains',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const

export type ApiKeyRow = Pick<Selectable<ApiKeysTable>, (typeof columns)[number]>

interface ApiKeyKey {
  companyId: string
  id: string
}

export interface NewApiKey {
  companyId: string
  ownerUserId: string
  name: string
  keyHash: Buffer
  /** Number of the key's pepper. */
  pepper: number
  scope: 'full' | 'sandbox'
  allowedChatroomIds: string[]
  domains: string[]
  expiresAt: Date | null
}

export const insertApiKey = (db: Executing, key: NewApiKey): Promise<ApiKeyRow> =>
  db
    .insertInto('api_keys')
    .values({
      id: newId('apiKey'),
      company_id: key.companyId,
      owner_user_id: key.ownerUserId,
      name: key.name,
      key_hash: key.keyHash,
      pepper: key.pepper,
      scope: key.scope,
      allowed_chatroom_ids: key.allowedChatroomIds,
      domains: key.domains,
      expires_at: key.expiresAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()

export const findApiKeyRow = (db: Executing, key: ApiKeyKey): Promise<ApiKeyRow | undefined> =>
  db
    .selectFrom('api_keys')
    .select(columns)
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .executeTakeFirst()

/** A key that is neither revoked nor expired, as its principal has it. */
export async function findLiveApiKey(
  db: Executing,
  key: ApiKeyKey,
): Promise<NonNullable<Principal['apiKey']> | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .select(['id', 'scope', 'allowed_chatroom_ids'])
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst()
  return row && { id: row.id, scope: row.scope, allowedChatroomIds: row.allowed_chatroom_ids }
}

/** Revoked keys are listed as retired. An expired key stays in the list of active keys. */
export const listApiKeyRows = (db: Executing, stretch: Stretch): Promise<ApiKeyRow[]> =>
  db
    .selectFrom('api_keys')
    .select(columns)
    .where('company_id', '=', stretch.companyId)
    .$if(stretch.lifecycle === 'active', (query) => query.where('revoked_at', 'is', null))
    .$if(stretch.lifecycle === 'retired', (query) => query.where('revoked_at', 'is not', null))
    .where('id', '>', stretch.afterId)
    .orderBy('id')
    .limit(stretch.limit)
    .execute()

export const liveApiKeyRows = (db: Executing, companyId: string): Promise<ApiKeyRow[]> =>
  db
    .selectFrom('api_keys')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('revoked_at', 'is', null)
    .orderBy('name')
    .execute()

export async function updateApiKeyRow(
  db: Executing,
  key: ApiKeyKey,
  set: { allowedChatroomIds: string[]; domains: string[]; expiresAt: Date | null },
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({
      allowed_chatroom_ids: set.allowedChatroomIds,
      domains: set.domains,
      expires_at: set.expiresAt,
    })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .execute()
}

/** Undefined if the key is already revoked. */
export const revokeApiKeyRow = (db: Executing, key: ApiKeyKey, at: Date): Promise<ApiKeyRow | undefined> =>
  db
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .where('revoked_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()

/** Usable keys of all companies that are stored with another pepper. */
export async function countKeysOffPepper(db: Executing, pepper: number, at: Date): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .modifyFront(acrossCompanies('the operator asks for all companies'))
    .select((columns) => columns.fn.countAll<number>().as('count'))
    .where('pepper', '<>', pepper)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]))
    .executeTakeFirstOrThrow()
  return count
}
