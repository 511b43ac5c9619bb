import type { DoorRuntime } from '@sandbox-jobs/contract/resources/doors/door.ts'
import type { DoorKind } from '@sandbox-jobs/contract/resources/doors/door-kind.ts'
import { principalOf, refuseCredentials } from '../../access/authentication/authentication.ts'
import { findByPepper, hashApiKey } from '../../access/keys/api-key-secret.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { newToken } from '../../base/ids.ts'
import type { Pepper, Peppers } from '../../base/keys/peppers.ts'
import type { Database } from '../../db/database.ts'
import { countDoorsOffPepper, type DoorRow, findDoorByHash, touchDoor } from './door-store.ts'

/*
 * Keys of doors. Such a key opens the door that it was made with, at the addresses of that door's platform, and nothing else of
 * the service. Everything wrong with it is answered alike.
 */

export { countDoorsOffPepper }

/** A door that a request has come to. */
export interface OpenDoor {
  door: DoorRow
  runtimes: DoorRuntime[]
  /** Submits runs: the owner of the door, as they may act now. */
  submitter: Principal
  /** Reads runs and files: as a restricted key does, only those that came by this door. */
  reader: Principal
}

const usedNotedEveryMs = 60_000

interface DoorKeyDeps {
  db: Database
  peppers: Peppers
  clock: Clock
}

/** The door of that platform that the key opens. Throws 418. */
export async function openDoor(
  { db, peppers, clock }: DoorKeyDeps,
  kind: DoorKind,
  text: string,
): Promise<OpenDoor> {
  if (!looksLikeDoorKey(text)) throw refuseCredentials()
  const [row, pepper] = await findByPepper(peppers, (each) => findDoorByHash(db, hashDoorKey(each, text)))
  if (!row || row.kind !== kind || row.disabled_at) throw refuseCredentials()
  const at = clock.now()
  const present = peppers.present()
  const isStale = pepper.number < present.number
  if (isStale || at.getTime() - (row.last_used_at?.getTime() ?? 0) > usedNotedEveryMs) {
    const rehashed = isStale ? { keyHash: hashDoorKey(present, text), pepper: present.number } : undefined
    await touchDoor(db, { companyId: row.company_id, id: row.id }, { at, rehashed })
  }
  const { role, disabled_at, managed_department_ids, runtimes, ...door } = row
  const authority = { company_id: door.company_id, role, disabled_at, managed_department_ids }
  const owner = principalOf(authority, { id: door.owner_user_id, authMethod: 'api_key' })
  const { id, chatroom_id: roomId } = door
  return {
    door,
    runtimes,
    submitter: { ...owner, apiKey: { id, scope: 'full', allowedChatroomIds: [] } },
    reader: { ...owner, apiKey: { id, scope: 'sandbox', allowedChatroomIds: [roomId] } },
  }
}

const prefix = 'sbd_'
const form = /^sbd_[A-Za-z0-9_-]{43}$/

/** A new key: 256 random bits after a prefix that secret scanners detect. */
export const newDoorKey = (): string => `${prefix}${newToken()}`

const looksLikeDoorKey = (text: string): boolean => form.test(text)

/** The stored form, as that of API keys. */
export const hashDoorKey = ({ key }: Pepper, text: string): Buffer => hashApiKey(key, text)
