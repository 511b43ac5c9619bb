import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { companyPolicy } from '../../companies/settings/company-policy.ts'
import { checkPublishedPolicy } from '../../custom-tables/policies/output-policies.ts'
import { endNextVersionsAt } from '../../secrets/approvals/next-versions.ts'
import { lockManagedTask, requireManagedTask, type TaskContext } from '../catalogue/task-access.ts'
import { setCurrentVersions } from '../catalogue/task-store.ts'
import { requireBundleRunner, requireReadyEnvironment } from './ready-environment.ts'
import { viewOf } from './task-version-service.ts'
import {
  findVersion,
  latestVersionIds,
  lockVersion,
  moveVersion,
  type VersionKey,
} from './task-version-store.ts'

/**
 * Publishes a draft, which never changes again and becomes the task's current version. Rooms keep their pinned
 * version. Approvals that covered next versions end where it is of another author or has other slots. Throws `task_archived`, `illegal_transition`, `environment_version_not_ready`,
 * `task_bundle_runner_unsupported`, `timeout_exceeds_ceiling` (contract part 1, "Shown moves").
 */
export async function publishVersion(
  context: TaskContext,
  principal: Principal,
  { taskId, versionId }: { taskId: string; versionId: string },
): Promise<TaskVersion> {
  const key = { companyId: principal.companyId, taskId, id: versionId }
  const checkedDigest = await checkPolicy(context, principal, key)
  return context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, 'task.change', taskId)
    const draft = await lockVersion(trx, key)
    if (!draft) throw notFound()
    if (task.state !== 'active') throw new CodedError('task_archived')
    const isChecked = draft.output_policy === null || draft.canonical_digest === checkedDigest
    if (draft.state !== 'draft' || !isChecked) throw new CodedError('illegal_transition')
    const environment = await requireReadyEnvironment(trx, principal.companyId, draft.environment_version_id)
    requireBundleRunner(draft, environment)
    const { timeoutCeilingSeconds: limit } = await companyPolicy(trx, principal.companyId)
    if (draft.timeout_seconds > limit) throw new CodedError('timeout_exceeds_ceiling', { limit })
    const set = { published_at: context.clock.now(), published_by: principal.principalId }
    if (!(await moveVersion(trx, key, { to: 'published', set }))) {
      throw new CodedError('illegal_transition')
    }
    await endNextVersionsAt(trx, draft)
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

/** Checks the output policy of a draft, and returns the digest of what was checked: it reads more than a transaction should. */
async function checkPolicy(
  { db, outputs }: TaskContext,
  principal: Principal,
  key: VersionKey,
): Promise<string | undefined> {
  const task = await requireManagedTask(db, principal, 'task.change', key.taskId)
  const draft = await findVersion(db, key)
  if (draft?.state !== 'draft' || draft.output_policy === null || task.state !== 'active') return undefined
  await checkPublishedPolicy(outputs, principal, {
    ownerScope: task.owner_scope,
    policy: draft.output_policy,
    author: draft.created_by,
  })
  return draft.canonical_digest
}

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
