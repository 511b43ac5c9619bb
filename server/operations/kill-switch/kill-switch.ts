import type { Executing } from '../../db/database.ts'

/* Whether operators have stopped all changes: one row while they have. */

/** Null: they have not. */
export async function stoppedSince(db: Executing): Promise<Date | null> {
  const row = await db.selectFrom('kill_switch').select('stopped_at').executeTakeFirst()
  return row?.stopped_at ?? null
}

/** Stops all changes. Returns since when they are stopped. */
export async function stopChanges(db: Executing): Promise<Date> {
  const row = await db
    .insertInto('kill_switch')
    .defaultValues()
    .onConflict((conflict) => conflict.column('single').doUpdateSet({ single: true }))
    .returning('stopped_at')
    .executeTakeFirstOrThrow()
  return row.stopped_at
}

/** Accepts changes again. False: they were not stopped. */
export async function acceptChanges(db: Executing): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('kill_switch').executeTakeFirst()
  return numDeletedRows > 0n
}
