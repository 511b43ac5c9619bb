import { notFound } from '../base/coded-error.ts'
import type { Executing, Trx } from '../db/database.ts'
import { isRestricted, managesCompany, managesOwner, type Principal } from '../platform/principal.ts'
import { isSharedWithin, type Reach } from './share-store.ts'
import type { TaskContext } from './task-context.ts'
import { findTask, lockTask, type TaskRow } from './task-store.ts'

/** A task as one caller sees it: an owner manages it, a borrower may use it (contract part 1, invariant 6). */
export interface SeenTask {
  task: TaskRow
  view: 'owner' | 'borrower'
}

export const managesTask = (principal: Principal, task: Pick<TaskRow, 'owner_scope' | 'owner_id'>): boolean =>
  !isRestricted(principal) && managesOwner(principal, { scope: task.owner_scope, id: task.owner_id })

/** The rooms a caller acts in or manages, and the departments managed: what a share may reach. */
export async function reachOf(context: TaskContext, principal: Principal): Promise<Reach> {
  const { companyId, principalId } = principal
  const [member, managed] = await Promise.all([
    context.directory.roomIdsOfMember(companyId, principalId),
    context.directory.managedRoomIds(principal),
  ])
  return {
    companyId,
    roomIds: [...new Set([...member, ...managed])],
    departmentIds: principal.managedDepartmentIds,
  }
}

/** The task, for who manages it or has it shared to a room; throws `not_found`. */
export async function seeTask(context: TaskContext, principal: Principal, taskId: string): Promise<SeenTask> {
  const task = await findTask(context.db, principal.companyId, taskId)
  if (!task) throw notFound()
  if (managesTask(principal, task)) return { task, view: 'owner' }
  if (isRestricted(principal)) throw notFound()
  const reached = await isSharedWithin(context.db, await reachOf(context, principal), taskId)
  if (!reached) throw notFound()
  return { task, view: 'borrower' }
}

/** The task, for who manages it; throws `not_found`. */
export async function requireManagedTask(
  db: Executing,
  principal: Principal,
  taskId: string,
): Promise<TaskRow> {
  const task = await findTask(db, principal.companyId, taskId)
  if (!task || !managesTask(principal, task)) throw notFound()
  return task
}

/** As `requireManagedTask`, and nobody changes the task until the transaction ends. */
export async function lockManagedTask(trx: Trx, principal: Principal, taskId: string): Promise<TaskRow> {
  const task = await lockTask(trx, principal.companyId, taskId)
  if (!task || !managesTask(principal, task)) throw notFound()
  return task
}

/** Company managers see every task; for others the answer is a matter of owners and shares. */
export const seesEveryTask = (principal: Principal): boolean =>
  managesCompany(principal) && !isRestricted(principal)
