import type { Task } from '@sandbox-jobs/contract/resources/task.ts'
import { CodedError } from '../base/coded-error.ts'
import type { Trx } from '../db/database.ts'
import type { Principal } from '../platform/principal.ts'
import { enabledBindingIds, revokeBinding } from './binding-store.ts'
import { renderTask } from './render-task.ts'
import { lockManagedTask } from './task-access.ts'
import type { TaskContext } from './task-context.ts'
import { archiveTaskRow, setCurrentVersions, type TaskRow } from './task-store.ts'
import { liveVersionIds, moveVersion } from './task-version-store.ts'

const taskArchivedReason = 'task_archived'

/**
 * Archives a task for good, in one transaction: its versions with it, the rooms' bindings revoked, queued runs
 * cancelled. Shares stay on record and lend nothing any more. Throws `already_archived`.
 */
export async function archiveTask(context: TaskContext, principal: Principal, taskId: string): Promise<Task> {
  return context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, taskId)
    if (!(await archiveTaskRow(trx, principal.companyId, taskId))) throw new CodedError('already_archived')
    const now = context.clock.now()
    await archiveVersions(trx, task, now)
    for (const id of await enabledBindingIds(trx, task.company_id, taskId)) {
      await revokeBinding(
        trx,
        { companyId: task.company_id, id },
        { revoked_at: now, revoke_reason: taskArchivedReason },
      )
    }
    await context.cancelQueuedRunsOfTask(trx, task.company_id, taskId)
    const current = { current_published_version_id: null, current_draft_version_id: null }
    await setCurrentVersions(trx, task, current)
    return renderTask({ ...task, ...current, state: 'archived' })
  })
}

async function archiveVersions(trx: Trx, task: TaskRow, now: Date): Promise<void> {
  for (const id of await liveVersionIds(trx, task.company_id, task.id)) {
    await moveVersion(trx, { companyId: task.company_id, id }, { to: 'archived', set: { archived_at: now } })
  }
}
