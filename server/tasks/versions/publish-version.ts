import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { companyPolicy } from '../../companies/settings/company-policy.ts'
import { lockManagedTask } from '../catalogue/task-access.ts'
import type { TaskContext } from '../catalogue/task-context.ts'
import { setCurrentVersions } from '../catalogue/task-store.ts'
import { requireBundleRunner } from './bundle-runner.ts'
import { requireReadyEnvironment } from './ready-environment.ts'
import { viewOf } from './task-version-service.ts'
import { findVersion, latestVersionIds, lockVersion, moveVersion } from './task-version-store.ts'

/**
 * Publishes a draft, which never changes again and becomes the task's current version. Rooms keep their pinned
 * version. Throws `task_archived`, `illegal_transition`, `environment_version_not_ready`,
 * `task_bundle_runner_unsupported`, `timeout_exceeds_ceiling` (contract part 1, "Shown moves").
 */
export async function publishVersion(
  context: TaskContext,
  principal: Principal,
  { taskId, versionId }: { taskId: string; versionId: string },
): Promise<TaskVersion> {
  return context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, 'task.change', taskId)
    const key = { companyId: principal.companyId, taskId, id: versionId }
    const draft = await lockVersion(trx, key)
    if (!draft) throw notFound()
    if (task.state !== 'active') throw new CodedError('task_archived')
    if (draft.state !== 'draft') throw new CodedError('illegal_transition')
    const environment = await requireReadyEnvironment(trx, principal.companyId, draft.environment_version_id)
    requireBundleRunner(draft, environment)
    const { timeoutCeilingSeconds: limit } = await companyPolicy(trx, principal.companyId)
    if (draft.timeout_seconds > limit) throw new CodedError('timeout_exceeds_ceiling', { limit })
    const set = { published_at: context.clock.now() }
    if (!(await moveVersion(trx, key, { to: 'published', set }))) {
      throw new CodedError('illegal_transition')
    }
    const current = {
      current_published_version_id: versionId,
      current_draft_version_id: (await latestVersionIds(trx, principal.companyId, taskId)).draft,
    }
    await setCurrentVersions(trx, task, current)
    const published = await findVersion(trx, key)
    if (!published) throw notFound()
    return viewOf(trx, published, { task: { ...task, ...current }, view: 'owner' })
  })
}
