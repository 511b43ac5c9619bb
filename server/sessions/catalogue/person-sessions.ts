import { sessionKeepHoursDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Principal } from '../../access/principal.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { SessionServices } from '../session-services.ts'
import { requireOwner } from './session-access.ts'
import {
  deleteExpiredOfPerson,
  findPersonSession,
  insertPersonSession,
  type SessionRow,
} from './session-store.ts'
import { rowBytes } from './sessions.ts'

/*
 * Sessions of people whom only a platform knows: its key, which is restricted, has one session for each of them in its room.
 */

export type PersonSession = Pick<SessionRow, 'id' | 'company_id'>

interface PersonOfKey {
  chatroomId: string
  /** As the platform names them: 1 to 128 characters. */
  person: string
}

/** Undefined where the person has none. Throws `not_found` for a room that the principal may not enter. */
export async function personSession(
  deps: SessionServices,
  principal: Principal,
  { chatroomId, person }: PersonOfKey,
): Promise<PersonSession | undefined> {
  return findPersonSession(deps.db, await requireOwner(deps, principal, 'session.list', chatroomId), person)
}

/** The same, created where there is none. `name` is what lists of sessions show. Throws `storage_quota_exceeded` too. */
export async function ensurePersonSession(
  deps: SessionServices,
  principal: Principal,
  { name, ...of }: PersonOfKey & { name: string },
): Promise<PersonSession> {
  const found = await personSession(deps, principal, of)
  if (found) return found
  const owner = await requireOwner(deps, principal, 'session.create', of.chatroomId)
  await deps.db.transaction().execute(async (trx) => {
    await requireStorageQuota(trx, owner.companyId, rowBytes)
    await deleteExpiredOfPerson(trx, owner, of.person)
    await insertPersonSession(trx, owner, {
      id: newId('session'),
      name,
      person: of.person,
      size_limit_bytes: deps.sessionSizes.defaultBytes,
      keep_hours: sessionKeepHoursDefault,
      tree_id: null,
      byte_size: 0,
      file_count: 0,
    })
  })
  const created = await personSession(deps, principal, of)
  if (!created) throw new Error('a session that was just created is not there')
  return created
}
