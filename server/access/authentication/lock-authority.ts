import type { ActionName } from '@sandbox-jobs/contract/access/actions.ts'
import type { SubjectOf } from '@sandbox-jobs/contract/access/decide.ts'
import type { Trx } from '../../db/database.ts'
import { authorize } from '../allow.ts'
import { findSocialClient } from '../directory/social-client-store.ts'
import { findLiveApiKey } from '../keys/api-key-store.ts'
import type { Principal } from '../principal.ts'
import { existsSignIn } from '../sign-ins/sign-in-store.ts'
import { refuseCredentials } from './authentication.ts'
import { isOpenDoor, lockUserCredential } from './credential-store.ts'

/**
 * The principal as they are now, for a write that comes long after they were authenticated: an upload, a password hash or
 * another service was waited for. A user stays what they are until the transaction ends, so who was dismissed writes nothing
 * after the dismissal is answered. Call it before other rows are locked: whoever changes users locks several of them. Throws 418
 * where the credential of the request has ended.
 */
export async function lockAuthority(trx: Trx, principal: Principal): Promise<Principal> {
  const { companyId, principalId } = principal
  if (principal.principalType === 'user') return lockUser(trx, principal)
  const client = await findSocialClient(trx, { companyId, id: principalId })
  if (!client) throw refuseCredentials()
  return { ...principal, clientRoomId: client.chatroom_id }
}

/** The same of who needs an action: what they have lost meanwhile is refused as it would be at first. */
export const authorizeAgain = async <Name extends ActionName>(
  trx: Trx,
  principal: Principal,
  action: Name,
  subject: SubjectOf<Name>,
): Promise<void> => authorize(await lockAuthority(trx, principal), action, subject)

async function lockUser(trx: Trx, principal: Principal): Promise<Principal> {
  const { companyId, principalId: userId, credentialGeneration, signInId } = principal
  const user = await lockUserCredential(trx, { companyId, userId })
  const isSameLogin = (credentialGeneration ?? user?.credential_generation) === user?.credential_generation
  if (!user || user.disabled_at || !isSameLogin) throw refuseCredentials()
  if (signInId !== undefined && !(await existsSignIn(trx, { companyId, userId }, signInId)))
    throw refuseCredentials()
  const { role, managed_department_ids: managedDepartmentIds } = user
  const now = { ...principal, role, managedDepartmentIds }
  return principal.apiKey ? { ...now, apiKey: await keyNow(trx, principal, principal.apiKey) } : now
}

async function keyNow(
  trx: Trx,
  { companyId, principalId: ownerUserId }: Principal,
  key: NonNullable<Principal['apiKey']>,
): Promise<NonNullable<Principal['apiKey']>> {
  const { id } = key
  const found = await findLiveApiKey(trx, { companyId, id })
  if (found) return found
  // A request of another platform has the door that it came by as its key.
  if (await isOpenDoor(trx, { companyId, id, ownerUserId })) return key
  throw refuseCredentials()
}
