import type { Executing } from '../../db/database.ts'
import { findBoundSlots, type SlottedTask } from './bound-slot-store.ts'

/** Which slots of a task have a value, on which side. */
export interface BoundSlots {
  borrower: ReadonlySet<string>
  owner: ReadonlySet<string>
}

interface SlotRoom {
  id: string
  company_id: string
  department_id: string
}

const nothing: BoundSlots = { borrower: new Set(), owner: new Set() }

/** For runs of a room that were claimed now: what is bound for each of the tasks. One statement for all; none for none. */
export async function boundSlotsOf(
  db: Executing,
  room: SlotRoom,
  tasks: readonly SlottedTask[],
): Promise<(taskId: string) => BoundSlots> {
  if (tasks.length === 0) return () => nothing
  const rows = await findBoundSlots(db, room, tasks)
  const bound = new Map(
    tasks.map(({ taskId }) => [taskId, { borrower: new Set<string>(), owner: new Set<string>() }]),
  )
  for (const { task_id, slot_name, of_borrower, of_owner } of rows) {
    const slots = bound.get(task_id)
    if (of_borrower) slots?.borrower.add(slot_name)
    if (of_owner) slots?.owner.add(slot_name)
  }
  return (taskId) => bound.get(taskId) ?? nothing
}

/** The tasks among rows whose version declares slots. */
export const slottedTasks = (
  rows: readonly {
    task_id: string
    owner_scope: string
    owner_id: string
    secret_slot_declarations: readonly unknown[] | null
  }[],
): SlottedTask[] =>
  rows
    .filter((row) => (row.secret_slot_declarations?.length ?? 0) > 0)
    .map((row) => ({ taskId: row.task_id, ownerScope: row.owner_scope, ownerId: row.owner_id }))
