import type { Executing } from '../../db/database.ts'

/** Writes `announces_runs` of `chatrooms`. */

/** False where the room is gone. */
export async function setAnnouncesRuns(
  db: Executing,
  room: { id: string; company_id: string },
  announces_runs: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('chatrooms')
    .set({ announces_runs })
    .where('id', '=', room.id)
    .where('company_id', '=', room.company_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Those of the rooms that are live and announce the ends of runs. */
export async function findAnnouncing(
  db: Executing,
  companyIds: readonly string[],
  roomIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('chatrooms')
    .select('id')
    .where('id', 'in', roomIds)
    .where('company_id', 'in', companyIds)
    .where('deleted_at', 'is', null)
    .where('announces_runs', '=', true)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
