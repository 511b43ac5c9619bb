import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import { authorize, may, ownedBy } from '../../access/allow.ts'
import { lockAuthority } from '../../access/authentication/lock-authority.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import type { RepeatedWrites } from '../../access/repeated-writes.ts'
import type { Reach } from '../../access/share-statement.ts'
import type { Clock } from '../../base/clock.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { PageTokens } from '../../base/page.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import type { Database, Executing, Trx } from '../../db/database.ts'
import { isSharedWithin } from '../shares/share-store.ts'
import { findTask, lockTask, type TaskRow } from './task-store.ts'

export { findTaskNames } from './task-store.ts'

/** A task as one caller sees it: an owner manages it, a borrower may use it (contract part 1, invariant 6). */
export interface SeenTask {
  task: TaskRow
  view: 'owner' | 'borrower'
}

/** The rooms of which a caller is a member or manager, and the managed departments: the targets whose shares reach the caller. */
export async function reachOf(context: TaskContext, principal: Principal): Promise<Reach> {
  return {
    companyId: principal.companyId,
    roomIds: await context.directory.roomIdsOf(principal),
    departmentIds: principal.managedDepartmentIds,
  }
}

/** The task, for callers that manage it or reach it by a share. Throws `not_found`. */
export async function seeTask(context: TaskContext, principal: Principal, taskId: string): Promise<SeenTask> {
  const task = await findTask(context.db, principal.companyId, taskId)
  if (!task) throw notFound()
  if (may(principal, 'task.read_source', ownedBy(task))) return { task, view: 'owner' }
  const isBorrowed = await isSharedWithin(context.db, await reachOf(context, principal), taskId)
  authorize(principal, 'task.read', ownedBy(task, isBorrowed))
  return { task, view: 'borrower' }
}

/** The task, when the principal may do this to it; throws the refusal of the action, `not_found` for none. */
export async function requireManagedTask(
  db: Executing,
  principal: Principal,
  action: ActionOn<'owned'>,
  taskId: string,
): Promise<TaskRow> {
  const task = await findTask(db, principal.companyId, taskId)
  if (!task) throw notFound()
  authorize(principal, action, ownedBy(task))
  return task
}

/**
 * As `requireManagedTask`, with the task locked until the transaction ends. The rights of the principal are read again: they
 * may have lost it while a file arrived or a schema was checked.
 */
export async function lockManagedTask(
  trx: Trx,
  principal: Principal,
  action: ActionOn<'owned'>,
  taskId: string,
): Promise<TaskRow> {
  const now = await lockAuthority(trx, principal)
  const task = await lockTask(trx, principal.companyId, taskId)
  if (!task) throw notFound()
  authorize(now, action, ownedBy(task))
  return task
}

/** Dependencies of the use cases of this folder. */
export interface TaskContext {
  db: Database
  directory: Directory
  pages: PageTokens
  clock: Clock
  outputs: OutputPolicyDeps
  repeats: RepeatedWrites
  /** Cancels the queued runs of a task. Injected, because tasks do not depend on runs. */
  cancelQueuedRunsOfTask: (trx: Trx, companyId: string, taskId: string) => Promise<void>
}
