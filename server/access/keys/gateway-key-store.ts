import { newId } from '../../base/ids.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'

/** Writes the table `gateway_keys`. */

const columns = ['id', 'company_id', 'name', 'created_at', 'revoked_at', 'last_used_at'] as const

export interface GatewayKeyRow {
  id: string
  company_id: string
  name: string
  created_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
}

interface GatewayKeyKey {
  companyId: string
  id: string
}

export const insertGatewayKey = (
  db: Executing,
  key: { companyId: string; name: string; keyHash: Buffer; pepper: number },
): Promise<GatewayKeyRow> =>
  db
    .insertInto('gateway_keys')
    .values({
      id: newId('gatewayKey'),
      company_id: key.companyId,
      name: key.name,
      key_hash: key.keyHash,
      pepper: key.pepper,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()

/** A key that is not revoked. */
export const findGatewayKey = (db: Executing, keyHash: Buffer): Promise<GatewayKeyRow | undefined> =>
  db
    .selectFrom('gateway_keys')
    .modifyFront(acrossCompanies('the hash of a key finds the company'))
    .select(columns)
    .where('key_hash', '=', keyHash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()

/** Whether a key of the company is not revoked. */
export async function isLiveGatewayKey(db: Executing, key: GatewayKeyKey): Promise<boolean> {
  const row = await db
    .selectFrom('gateway_keys')
    .select('id')
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Oldest first, revoked ones included. */
export const listGatewayKeyRows = (
  db: Executing,
  companyId: string,
  limit: number,
): Promise<GatewayKeyRow[]> =>
  db
    .selectFrom('gateway_keys')
    .select(columns)
    .where('company_id', '=', companyId)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Undefined if there is no such live key. */
export const revokeGatewayKeyRow = (
  db: Executing,
  key: GatewayKeyKey,
  at: Date,
): Promise<GatewayKeyRow | undefined> =>
  db
    .updateTable('gateway_keys')
    .set({ revoked_at: at })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .where('revoked_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()

/** Records the use of a key, and stores it under another pepper where its hash is given. */
export async function touchGatewayKey(
  db: Executing,
  key: GatewayKeyKey,
  set: { at: Date; rehashed?: { keyHash: Buffer; pepper: number } | undefined },
): Promise<void> {
  const { at, rehashed } = set
  await db
    .updateTable('gateway_keys')
    .set({ last_used_at: at, ...(rehashed && { key_hash: rehashed.keyHash, pepper: rehashed.pepper }) })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .execute()
}

/** Live keys of all companies that are stored under another pepper than this. */
export async function countGatewayKeysOffPepper(db: Executing, pepper: number): Promise<number> {
  const { count } = await db
    .selectFrom('gateway_keys')
    .modifyFront(acrossCompanies('the operator asks for all companies'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('pepper', '<>', pepper)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
