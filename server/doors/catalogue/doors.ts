import { doorsPerCompany, doorTimeoutDefaultSeconds } from '@sandbox-jobs/contract/limits.ts'
import type {
  Door,
  DoorCreateRequest,
  DoorRuntime,
  DoorRuntimeRequest,
  DoorWithKey,
} from '@sandbox-jobs/contract/resources/doors/door.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import type { Peppers } from '../../base/keys/peppers.ts'
import { type Database, violates } from '../../db/database.ts'
import { requireReadyEnvironment } from '../../tasks/versions/ready-environment.ts'
import { hashDoorKey, newDoorKey } from './door-keys.ts'
import { findRuntimes, insertRuntimes } from './door-runtime-store.ts'
import {
  type DoorRow,
  deleteDoorRow,
  findDoor,
  insertDoor,
  listDoorRows,
  lockDoorCount,
} from './door-store.ts'
import { languageNamed } from './languages.ts'

/*
 * Doors of a room (docs/doors.md): each is an address in the form that the code tool of a platform knows. Managers of the room
 * create and remove them.
 */

export interface DoorDeps {
  db: Database
  directory: Directory
  peppers: Peppers
}

const render = (row: DoorRow, runtimes: DoorRuntime[]): Door => ({
  id: row.id,
  chatroom_id: row.chatroom_id,
  name: row.name,
  kind: row.kind,
  path: `/doors/${row.kind}`,
  network: row.network,
  timeout_seconds: row.timeout_seconds,
  runtimes,
  owner_user_id: row.owner_user_id,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

export async function listDoors(
  { db, directory }: DoorDeps,
  principal: Principal,
  chatroomId: string,
): Promise<Door[]> {
  const { companyId } = principal
  await directory.requireRoom(principal, 'door.manage', chatroomId)
  const rows = await listDoorRows(db, { companyId, chatroomId })
  const runtimes = await findRuntimes(
    db,
    companyId,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => render(row, runtimes.get(row.id) ?? []))
}

interface DoorAddress {
  chatroomId: string
  doorId: string
}

/** Throws `not_found`. */
export async function readDoor(
  { db, directory }: DoorDeps,
  principal: Principal,
  { chatroomId, doorId }: DoorAddress,
): Promise<Door> {
  const { companyId } = principal
  await directory.requireRoom(principal, 'door.manage', chatroomId)
  const row = await findDoor(db, { companyId, chatroomId, id: doorId })
  if (!row) throw notFound()
  return render(row, (await findRuntimes(db, companyId, [row.id])).get(row.id) ?? [])
}

/** Ends the key at once. Runs that wait in the queue do not start. Throws `not_found`. */
export async function deleteDoor(deps: DoorDeps, principal: Principal, address: DoorAddress): Promise<Door> {
  const door = await readDoor(deps, principal, address)
  const { chatroomId } = address
  await deleteDoorRow(deps.db, { companyId: principal.companyId, chatroomId, id: door.id })
  return door
}

/**
 * Creates a door whose runs are submitted as the caller. Only this answer has the key. Throws `not_found`, `already_exists`,
 * `door_limit`, `environment_version_not_ready` and the standard 422 array.
 */
export async function createDoor(
  { db, directory, peppers }: DoorDeps,
  principal: Principal,
  { chatroomId, request }: { chatroomId: string; request: DoorCreateRequest },
): Promise<DoorWithKey> {
  const { companyId } = principal
  const room = await directory.requireRoom(principal, 'door.manage', chatroomId)
  const runtimes = runtimesOf(request.runtimes)
  for (const id of new Set(runtimes.map((runtime) => runtime.environment_version_id)))
    await requireReadyEnvironment(db, companyId, id)
  const key = newDoorKey()
  const pepper = peppers.present()
  const row = await db
    .transaction()
    .execute(async (trx) => {
      if ((await lockDoorCount(trx, companyId)) >= doorsPerCompany) throw new CodedError('door_limit')
      const inserted = await insertDoor(trx, {
        id: newId('door'),
        company_id: companyId,
        chatroom_id: room.id,
        owner_user_id: principal.principalId,
        name: request.name,
        kind: request.kind,
        // Each request of Dify asks for the network.
        network: request.network ?? request.kind === 'dify',
        timeout_seconds: request.timeout_seconds ?? doorTimeoutDefaultSeconds,
        key_hash: hashDoorKey(pepper, key),
        pepper: pepper.number,
      })
      await insertRuntimes(trx, inserted, runtimes)
      return inserted
    })
    .catch((error: unknown) => {
      throw violates(error, 'doors_name') ? new CodedError('already_exists') : error
    })
  return { ...render(row, runtimes), door_key: key }
}

const firstVersion = '1.0.0'

/** The stored form of the languages of a request: known languages complete it. */
function runtimesOf(requested: readonly DoorRuntimeRequest[]): DoorRuntime[] {
  const named = new Set<string>()
  return requested.map((runtime, at) => {
    const loc = ['body', 'runtimes', at]
    const { language, version = firstVersion, aliases = [], environment_version_id } = runtime
    const known = languageNamed(language)
    const run = runtime.run_command ?? known?.run
    if (run === undefined) {
      const words = 'is required, because the service does not know the language'
      throw invalid([...loc, 'run_command'], 'missing', words)
    }
    if (named.has(`${language} ${version}`))
      throw invalid([...loc, 'language'], 'not_unique', 'has this version already')
    named.add(`${language} ${version}`)
    // Its own command to run it replaces both commands of a known language.
    const compile = runtime.compile_command ?? (runtime.run_command ? undefined : known?.compile)
    const others = new Set([...aliases, ...(known?.names ?? [])])
    others.delete(language)
    return {
      language,
      version,
      aliases: [...others],
      environment_version_id,
      run_command: run,
      compile_command: compile ?? null,
    }
  })
}
