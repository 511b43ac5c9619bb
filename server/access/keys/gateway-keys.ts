import type { GatewayKey } from '@sandbox-jobs/contract/operator/gateway-key.ts'
import type { Clock } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { newToken } from '../../base/ids.ts'
import type { Peppers } from '../../base/keys/peppers.ts'
import { type Database, violates } from '../../db/database.ts'
import { findByPepper, hashApiKey } from './api-key-secret.ts'
import {
  countGatewayKeysOffPepper,
  findGatewayKey,
  type GatewayKeyRow,
  insertGatewayKey,
  listGatewayKeyRows,
  revokeGatewayKeyRow,
  touchGatewayKey,
} from './gateway-key-store.ts'

/*
 * Keys of chat pipelines. The operator issues one for a company; with it a pipeline posts messages on behalf of that
 * company's people (contract part 3, D2), and can do nothing else. A key is shown once and stored as API keys are.
 */

export { countGatewayKeysOffPepper }

const form = /^sbg_[A-Za-z0-9_-]{43}$/
const listMax = 1000
const useRecordedEveryMs = 60_000

const render = (row: GatewayKeyRow): GatewayKey => ({
  id: row.id,
  company_id: row.company_id,
  name: row.name,
  created_at: row.created_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

/** Issues a key; only the answer holds it. Throws `already_exists` for the name of a live key. */
export async function issueGatewayKey(
  { db, peppers }: { db: Database; peppers: Peppers },
  companyId: string,
  name: string,
): Promise<GatewayKey & { gateway_key: string }> {
  const text = `sbg_${newToken()}`
  const pepper = peppers.present()
  const stored = { companyId, name, keyHash: hashApiKey(pepper.key, text), pepper: pepper.number }
  const row = await insertGatewayKey(db, stored).catch((error: unknown) => {
    throw violates(error, 'gateway_keys_live_name') ? new CodedError('already_exists') : error
  })
  return { ...render(row), gateway_key: text }
}

export const listGatewayKeys = async (db: Database, companyId: string): Promise<GatewayKey[]> =>
  (await listGatewayKeyRows(db, companyId, listMax)).map(render)

/** Undefined if the company has no such live key. */
export async function revokeGatewayKey(
  { db, clock }: { db: Database; clock: Clock },
  companyId: string,
  id: string,
): Promise<GatewayKey | undefined> {
  const row = await revokeGatewayKeyRow(db, { companyId, id }, clock.now())
  return row && render(row)
}

/** The live key with this text, stored under the present pepper afterwards; undefined for any other text. */
export async function useGatewayKey(
  { db, peppers, clock }: { db: Database; peppers: Peppers; clock: Clock },
  text: string,
): Promise<{ id: string; companyId: string } | undefined> {
  if (!form.test(text)) return undefined
  const [row, pepper] = await findByPepper(peppers, ({ key }) => findGatewayKey(db, hashApiKey(key, text)))
  if (!row) return undefined
  const at = clock.now()
  const present = peppers.present()
  const isStale = pepper.number < present.number
  const used = row.last_used_at?.getTime() ?? 0
  if (isStale || at.getTime() - used > useRecordedEveryMs) {
    const rehashed = isStale ? { keyHash: hashApiKey(present.key, text), pepper: present.number } : undefined
    await touchGatewayKey(db, { companyId: row.company_id, id: row.id }, { at, rehashed })
  }
  return { id: row.id, companyId: row.company_id }
}
