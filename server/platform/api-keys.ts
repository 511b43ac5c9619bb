import type {
  ApiKey,
  ApiKeyCreated,
  ApiKeyCreateRequest,
  ApiKeyList,
} from '@sandbox-jobs/contract/resources/api-key.ts'
import { CodedError, notFound } from '../base/coded-error.ts'
import { invalid } from '../base/validation-error.ts'
import { violates } from '../db/database.ts'
import { hashApiKey, newApiKey } from './api-key-secret.ts'
import {
  type ApiKeyRow,
  countKeysOffPepper,
  findApiKeyRow,
  insertApiKey,
  listApiKeyRows,
  revokeApiKeyRow,
} from './api-key-store.ts'
import { findUserCredential, type UserCredential } from './credential-store.ts'
import { findRoomStandings } from './directory-store.ts'
import { anyOrigin, badDomains } from './origins.ts'
import { type ListRequest, type Platform, pageById, requireAdministrator } from './platform.ts'
import { companyManagerRole, type Principal } from './principal.ts'

/** Of all companies, for the operator of their pepper. */
export { countKeysOffPepper }

const render = (row: ApiKeyRow): ApiKey => ({
  ...row,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

export function listApiKeys(
  platform: Platform,
  principal: Principal,
  request: ListRequest,
): Promise<ApiKeyList> {
  requireAdministrator(principal)
  const list = { name: 'api-keys', companyId: principal.companyId, request }
  return pageById(platform, list, (stretch) => listApiKeyRows(platform.db, stretch), render)
}

/**
 * Makes a key that acts as its owner; the answer alone holds it. Throws `not_found` for an owner who is not an
 * active user of the company, `allowed_chatrooms_invalid`, `already_exists`, or the validation error of a field.
 */
export async function createApiKey(
  platform: Platform,
  principal: Principal,
  request: ApiKeyCreateRequest,
): Promise<ApiKeyCreated> {
  requireAdministrator(principal)
  const { companyId } = principal
  const { scope, name } = request
  const domains = request.domains ?? [anyOrigin]
  const [badDomain] = badDomains(domains)
  if (badDomain !== undefined) {
    throw invalid(['body', 'domains', badDomain], 'origin', 'must be an origin, or the single entry *')
  }
  const expiresAt = request.expires_at ? new Date(request.expires_at) : null
  if (expiresAt && !(expiresAt > platform.clock.now())) {
    throw invalid(['body', 'expires_at'], 'future', 'must be in the future')
  }
  const userId = request.owner_user_id ?? principal.principalId
  const owner = await findUserCredential(platform.db, { companyId, userId })
  if (!owner || owner.disabled_at) throw notFound()
  const allowedChatroomIds = request.allowed_chatroom_ids ?? []
  await checkChatrooms(platform, owner, { scope, allowedChatroomIds })
  const key = newApiKey()
  const pepper = platform.peppers.present()
  const keyHash = hashApiKey(pepper.key, key)
  const fields = { companyId, ownerUserId: owner.id, name, scope, domains, expiresAt }
  const row = await insertApiKey(platform.db, {
    ...fields,
    keyHash,
    pepper: pepper.number,
    allowedChatroomIds,
  }).catch((error: unknown) => {
    throw violates(error, 'api_keys_live_name') ? new CodedError('already_exists') : error
  })
  return { ...render(row), api_key: key }
}

/** A sandbox key names rooms, each of which its owner is in or manages; on a full key they would narrow nothing. */
async function checkChatrooms(
  platform: Platform,
  owner: UserCredential,
  key: { scope: string; allowedChatroomIds: string[] },
): Promise<void> {
  const roomIds = key.allowedChatroomIds
  if ((key.scope === 'sandbox') !== roomIds.length > 0) throw new CodedError('allowed_chatrooms_invalid')
  const rooms = await findRoomStandings(platform.db, {
    companyId: owner.company_id,
    roomIds,
    userId: owner.id,
  })
  const usable = rooms.filter(
    (room) =>
      room.room_manager !== null ||
      owner.role >= companyManagerRole ||
      owner.managed_department_ids.includes(room.department_id),
  )
  if (usable.length !== roomIds.length) throw new CodedError('allowed_chatrooms_invalid')
}

export async function readApiKey(platform: Platform, principal: Principal, id: string): Promise<ApiKey> {
  requireAdministrator(principal)
  const row = await findApiKeyRow(platform.db, { companyId: principal.companyId, id })
  if (!row) throw notFound()
  return render(row)
}

/** Throws `illegal_transition` for a key that is revoked already. */
export async function revokeApiKey(platform: Platform, principal: Principal, id: string): Promise<ApiKey> {
  requireAdministrator(principal)
  const key = { companyId: principal.companyId, id }
  const row = await revokeApiKeyRow(platform.db, key, platform.clock.now())
  if (row) return render(row)
  throw (await findApiKeyRow(platform.db, key)) ? new CodedError('illegal_transition') : notFound()
}
