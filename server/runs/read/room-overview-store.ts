import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'

export interface RoomActivity {
  id: string
  enabled_jobs: number
  running: number
  queued: number
  last_run_at: Date | null
}

/** The activity of rooms of one company. Each count is of live rows alone, by an index of them. */
export async function findRoomActivity(
  db: Executing,
  { companyId, roomIds }: { companyId: string; roomIds: readonly string[] },
): Promise<RoomActivity[]> {
  const { rows } = await sql<RoomActivity>`
    select room.id,
      (select count(*) from bindings where chatroom_id = room.id and company_id = room.company_id and state = 'enabled') as enabled_jobs,
      (select count(*) from runs where chatroom_id = room.id and company_id = room.company_id
        and state in ('starting', 'running', 'cancel_requested')) as running,
      (select count(*) from runs where chatroom_id = room.id and company_id = room.company_id and state = 'queued') as queued,
      (select queued_at from runs where chatroom_id = room.id and company_id = room.company_id
        order by queued_at desc, runs.id desc limit 1) as last_run_at
    from unnest(${arrayParam(roomIds, 'text')}) as requested (id)
    join chatrooms room on room.id = requested.id and room.company_id = ${companyId}
  `.execute(db)
  return rows
}
