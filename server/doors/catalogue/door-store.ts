import type { DoorRuntime } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { type Selectable, sql } from 'kysely'
import { managedDepartments, type UserAuthority } from '../../access/authentication/caller-statement.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { DoorsTable } from '../../db/tables/doors.ts'

/** Writes the table `doors`. */

const columns = [
  'id',
  'company_id',
  'chatroom_id',
  'owner_user_id',
  'name',
  'kind',
  'network',
  'timeout_seconds',
  'created_at',
  'last_used_at',
] as const

export type DoorRow = Pick<Selectable<DoorsTable>, (typeof columns)[number]>

export interface DoorKeyRow {
  companyId: string
  chatroomId: string
  id: string
}

export const insertDoor = (
  trx: Trx,
  row: Omit<DoorRow, 'created_at' | 'last_used_at'> & { key_hash: Buffer; pepper: number },
): Promise<DoorRow> => trx.insertInto('doors').values(row).returning(columns).executeTakeFirstOrThrow()

/** Locks the doors of the company against concurrent additions, and counts them. */
export async function lockDoorCount(trx: Trx, companyId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`doors ${companyId}`}, 0))`.execute(trx)
  const { count } = await trx
    .selectFrom('doors')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return count
}

/** At most `doorsPerCompany`. */
export const listDoorRows = (
  db: Executing,
  room: { companyId: string; chatroomId: string },
): Promise<DoorRow[]> =>
  db
    .selectFrom('doors')
    .select(columns)
    .where('company_id', '=', room.companyId)
    .where('chatroom_id', '=', room.chatroomId)
    .orderBy('id')
    .execute()

export const findDoor = (db: Executing, key: DoorKeyRow): Promise<DoorRow | undefined> =>
  db
    .selectFrom('doors')
    .select(columns)
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .where('chatroom_id', '=', key.chatroomId)
    .executeTakeFirst()

/** Deletes the door and its languages. */
export async function deleteDoorRow(db: Executing, key: DoorKeyRow): Promise<void> {
  await db
    .deleteFrom('doors')
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .where('chatroom_id', '=', key.chatroomId)
    .execute()
}

/** A door with its languages and the present authority of its owner. */
export type OwnedDoor = DoorRow & Omit<UserAuthority, 'company_id'> & { runtimes: DoorRuntime[] }

const runtimes = sql<DoorRuntime[]>`(
  select json_agg(json_build_object('language', dr.language, 'version', dr.version, 'aliases', dr.aliases,
    'environment_version_id', dr.environment_version_id, 'run_command', dr.run_command,
    'compile_command', dr.compile_command) order by dr.place)
  from door_runtimes dr where dr.door_id = door.id and dr.company_id = door.company_id
)`

export const findDoorByHash = (db: Executing, keyHash: Buffer): Promise<OwnedDoor | undefined> =>
  db
    .selectFrom('doors as door')
    .innerJoin('users as owner', (join) =>
      join.onRef('owner.id', '=', 'door.owner_user_id').onRef('owner.company_id', '=', 'door.company_id'),
    )
    .modifyFront(acrossCompanies('the hash of a key finds the company'))
    .select(columns.map((column) => `door.${column}` as const))
    .select([
      'owner.role',
      'owner.disabled_at',
      managedDepartments.as('managed_department_ids'),
      runtimes.as('runtimes'),
    ])
    .where('door.key_hash', '=', keyHash)
    .executeTakeFirst()

/** Records the use of a key, and stores it under another pepper where its hash is given. */
export async function touchDoor(
  db: Executing,
  key: { companyId: string; id: string },
  set: { at: Date; rehashed?: { keyHash: Buffer; pepper: number } | undefined },
): Promise<void> {
  const { at, rehashed } = set
  await db
    .updateTable('doors')
    .set({ last_used_at: at, ...(rehashed && { key_hash: rehashed.keyHash, pepper: rehashed.pepper }) })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .execute()
}

/** Doors of all companies whose keys are stored under another pepper than this. */
export async function countDoorsOffPepper(db: Executing, pepper: number): Promise<number> {
  const { count } = await db
    .selectFrom('doors')
    .modifyFront(acrossCompanies('the operator asks for all companies'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('pepper', '<>', pepper)
    .executeTakeFirstOrThrow()
  return count
}
