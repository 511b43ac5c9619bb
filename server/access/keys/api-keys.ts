import { isAnyOf } from '@sandbox-jobs/contract/access/decide.ts'
import { roomPeople } from '@sandbox-jobs/contract/access/role.ts'
import type {
  ApiKey,
  ApiKeyCreated,
  ApiKeyCreateRequest,
  ApiKeyList,
} from '@sandbox-jobs/contract/resources/access/api-key.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { violates } from '../../db/database.ts'
import { authorize, ownCompany, roomSubject } from '../allow.ts'
import { findUserCredential, type UserCredential } from '../authentication/credential-store.ts'
import { findRoomMemberships } from '../directory/directory-store.ts'
import { directoryBytes, type ListRequest, type Platform, pageById } from '../directory/platform.ts'
import { anyOrigin, badDomains } from '../origins.ts'
import type { Principal } from '../principal.ts'
import { hashApiKey, newApiKey } from './api-key-secret.ts'
import {
  type ApiKeyRow,
  countKeysOffPepper,
  findApiKeyRow,
  insertApiKey,
  listApiKeyRows,
  revokeApiKeyRow,
} from './api-key-store.ts'

/** Counts keys of all companies, for the operator who rotates the pepper. */
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
  authorize(principal, 'directory.manage', ownCompany)
  const list = { name: 'api-keys', companyId: principal.companyId, request }
  return pageById(platform, list, (stretch) => listApiKeyRows(platform.db, stretch), render)
}

/**
 * Creates a key that acts as its owner. Only this response contains the key. Throws `not_found` if the owner is not
 * an active user of the company, `allowed_chatrooms_invalid`, `storage_quota_exceeded`, `already_exists`, or the
 * validation error of a field.
 */
export async function createApiKey(
  platform: Platform,
  principal: Principal,
  request: ApiKeyCreateRequest,
): Promise<ApiKeyCreated> {
  authorize(principal, 'directory.manage', ownCompany)
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
  await platform.requireStorageQuota(platform.db, companyId, directoryBytes.entry)
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

/**
 * A sandbox key lists rooms, and its owner must be a member or manager of each. A full key lists none, because rooms
 * would not restrict it.
 */
async function checkChatrooms(
  platform: Platform,
  owner: UserCredential,
  key: { scope: string; allowedChatroomIds: string[] },
): Promise<void> {
  const roomIds = key.allowedChatroomIds
  if ((key.scope === 'sandbox') !== roomIds.length > 0) throw new CodedError('allowed_chatrooms_invalid')
  const rooms = await findRoomMemberships(platform.db, {
    companyId: owner.company_id,
    roomIds,
    userId: owner.id,
  })
  const person = {
    companyId: owner.company_id,
    role: owner.role,
    managedDepartmentIds: owner.managed_department_ids,
  }
  const usable = rooms.filter((room) => isAnyOf(roomPeople, person, roomSubject(room.id, room)))
  if (usable.length !== roomIds.length) throw new CodedError('allowed_chatrooms_invalid')
}

export async function readApiKey(platform: Platform, principal: Principal, id: string): Promise<ApiKey> {
  authorize(principal, 'directory.manage', ownCompany)
  const row = await findApiKeyRow(platform.db, { companyId: principal.companyId, id })
  if (!row) throw notFound()
  return render(row)
}

/** The key that the caller uses; null for a caller without one. */
export async function findOwnApiKey(
  platform: Platform,
  { companyId, apiKey }: Principal,
): Promise<ApiKey | null> {
  const row = apiKey && (await findApiKeyRow(platform.db, { companyId, id: apiKey.id }))
  return row ? render(row) : null
}

/** Throws `illegal_transition` if the key is already revoked. */
export async function revokeApiKey(platform: Platform, principal: Principal, id: string): Promise<ApiKey> {
  authorize(principal, 'directory.manage', ownCompany)
  const key = { companyId: principal.companyId, id }
  const row = await revokeApiKeyRow(platform.db, key, platform.clock.now())
  if (row) return render(row)
  throw (await findApiKeyRow(platform.db, key)) ? new CodedError('illegal_transition') : notFound()
}
