import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { lockManagedTask } from '../catalogue/task-access.ts'
import type { TaskContext } from '../catalogue/task-context.ts'
import { setCurrentVersions } from '../catalogue/task-store.ts'
import { viewOf } from './task-version-service.ts'
import { findVersion, latestVersionIds, lockVersion, moveVersion } from './task-version-store.ts'

/**
 * Archives a version: it can no longer be run or enabled, and rooms that pin it lose it from their menu until they
 * change the pin. The latest remaining versions become the task's current ones.
 */
export async function archiveVersion(
  context: TaskContext,
  principal: Principal,
  { taskId, versionId }: { taskId: string; versionId: string },
): Promise<TaskVersion> {
  return context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, 'task.change', taskId)
    const key = { companyId: principal.companyId, taskId, id: versionId }
    if (!(await lockVersion(trx, key))) throw notFound()
    const set = { archived_at: context.clock.now() }
    if (!(await moveVersion(trx, key, { to: 'archived', set }))) {
      throw new CodedError('illegal_transition')
    }
    const latest = await latestVersionIds(trx, principal.companyId, taskId)
    const current = {
      current_published_version_id:
        task.current_published_version_id === versionId
          ? latest.published
          : task.current_published_version_id,
      current_draft_version_id: latest.draft,
    }
    await setCurrentVersions(trx, task, current)
    const archived = await findVersion(trx, key)
    if (!archived) throw notFound()
    return viewOf(trx, archived, { task: { ...task, ...current }, view: 'owner' })
  })
}
