import type { Task } from '@sandbox-jobs/contract/resources/tasks/task.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Trx } from '../../db/database.ts'
import { enabledBindingIds, revokeBinding } from '../bindings/binding-store.ts'
import { liveVersionIds, moveVersion } from '../versions/task-version-store.ts'
import { renderTask } from './render-task.ts'
import { lockManagedTask } from './task-access.ts'
import type { TaskContext } from './task-context.ts'
import { archiveTaskRow, setCurrentVersions, type TaskRow } from './task-store.ts'

const taskArchivedReason = 'task_archived'

/**
 * Archives a task permanently, in one transaction: archives its versions, revokes the bindings of all rooms and cancels
 * queued runs. Shares stay on record but grant nothing. Throws `already_archived`.
 */
export async function archiveTask(context: TaskContext, principal: Principal, taskId: string): Promise<Task> {
  return context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, 'task.change', taskId)
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
