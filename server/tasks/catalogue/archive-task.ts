import type { Task } from '@sandbox-jobs/contract/resources/tasks/task.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { revokeBindingsOf } from '../bindings/binding-store.ts'
import { archiveVersionsOf } from '../versions/task-version-store.ts'
import { renderTask } from './render-task.ts'
import { lockManagedTask } from './task-access.ts'
import type { TaskContext } from './task-context.ts'
import { archiveTaskRow, setCurrentVersions } from './task-store.ts'

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
    await archiveVersionsOf(trx, task, now)
    await revokeBindingsOf(trx, task, { revoked_at: now, revoke_reason: taskArchivedReason })
    await context.cancelQueuedRunsOfTask(trx, task.company_id, taskId)
    const current = { current_published_version_id: null, current_draft_version_id: null }
    await setCurrentVersions(trx, task, current)
    return renderTask({ ...task, ...current, state: 'archived' })
  })
}
