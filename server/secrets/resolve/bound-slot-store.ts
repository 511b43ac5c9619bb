import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

export interface SlottedTask {
  taskId: string
  ownerScope: string
  ownerId: string
}

/** Reads `secret_bindings`: the slots of tasks that are bound for a room, or by the owner. */
export async function findBoundSlots(
  db: Executing,
  room: { id: string; company_id: string; department_id: string },
  tasks: readonly SlottedTask[],
): Promise<{ task_id: string; slot_name: string; of_borrower: boolean; of_owner: boolean }[]> {
  const { rows } = await sql<{ task_id: string; slot_name: string; of_borrower: boolean; of_owner: boolean }>`
    select b.task_id, b.slot_name,
      bool_or((b.consumer_scope, b.consumer_id) in (
        ('chatroom', ${room.id}), ('department', ${room.department_id}), ('company', ${room.company_id})
      )) as of_borrower,
      bool_or(b.consumer_scope = requested.owner_scope and b.consumer_id = requested.owner_id) as of_owner
    from unnest(
      ${tasks.map(({ taskId }) => taskId)}::text[], ${tasks.map(({ ownerScope }) => ownerScope)}::text[],
      ${tasks.map(({ ownerId }) => ownerId)}::text[]
    ) as requested (task_id, owner_scope, owner_id)
    join secret_bindings b on b.task_id = requested.task_id and b.company_id = ${room.company_id} and b.state = 'active'
    where (b.consumer_scope, b.consumer_id) in (
      ('chatroom', ${room.id}), ('department', ${room.department_id}), ('company', ${room.company_id}),
      (requested.owner_scope, requested.owner_id))
    group by b.task_id, b.slot_name
  `.execute(db)
  return rows
}
