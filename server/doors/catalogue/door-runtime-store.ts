import type { DoorRuntime } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import { imageUseByTask } from '../../tasks/versions/image-use-statement.ts'

/** Writes the table `door_runtimes`. */

interface DoorOfCompany {
  id: string
  company_id: string
}

export const insertRuntimes = (
  trx: Trx,
  door: DoorOfCompany,
  runtimes: readonly DoorRuntime[],
): Promise<unknown> =>
  trx
    .insertInto('door_runtimes')
    .values(
      runtimes.map((runtime, place) => ({
        door_id: door.id,
        company_id: door.company_id,
        place,
        ...runtime,
      })),
    )
    .execute()

/** The languages of doors of one company, by door, each door's in order. */
export async function findRuntimes(
  db: Executing,
  companyId: string,
  doorIds: readonly string[],
): Promise<Map<string, DoorRuntime[]>> {
  if (doorIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('door_runtimes')
    .select([
      'door_id',
      'language',
      'version',
      'aliases',
      'environment_version_id',
      'run_command',
      'compile_command',
    ])
    .where('company_id', '=', companyId)
    .where('door_id', 'in', doorIds)
    .orderBy('door_id')
    .orderBy('place')
    .execute()
  const byDoor = new Map<string, DoorRuntime[]>()
  for (const { door_id, ...runtime } of rows) {
    const known = byDoor.get(door_id)
    if (known) known.push(runtime)
    else byDoor.set(door_id, [runtime])
  }
  return byDoor
}

/** Condition on `environment_versions v`: a published version of a listed task, or a door, uses it. */
export const imageUseByTaskOrDoor = sql<boolean>`(${imageUseByTask} or exists (
  select 1 from door_runtimes dr where dr.environment_version_id = v.id
))`
