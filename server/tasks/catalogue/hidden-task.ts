import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { QuickRunRequest } from '@sandbox-jobs/contract/resources/runs/quick-run.ts'
import type { Task } from '@sandbox-jobs/contract/resources/tasks/task.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Room } from '../../access/directory/directory.ts'
import { newId } from '../../base/ids.ts'
import type { Trx } from '../../db/database.ts'
import { emptyContent, type VersionContent, withRequested } from '../versions/task-version.ts'
import { columnsOf, viewOf } from '../versions/task-version-service.ts'
import { findVersion, insertVersion, moveVersion } from '../versions/task-version-store.ts'
import { renderTask } from './task-service.ts'
import { insertTask, setCurrentVersions } from './task-store.ts'

/** The content of a quick run's version. Throws `script_too_large`. */
export const hiddenContent = (request: QuickRunRequest): VersionContent =>
  withRequested(emptyContent(request.environment_version_id), {
    environment_version_id: request.environment_version_id,
    startup_script: request.startup_script ?? '',
    work_script: request.work_script ?? '',
    ordinary_env: request.ordinary_env ?? {},
    timeout_seconds: request.timeout_seconds,
  })

export interface HiddenTask {
  room: Room
  name: string
  content: VersionContent
  createdBy: string
  publishedAt: Date
  /** Destinations that runs may reach; absent: every public address. */
  allowList?: EgressAllowList | undefined
}

/**
 * Creates a task that no list shows and no share grants, owned by its room, with one published version. The caller has
 * checked that the version may be published (contract part 2, "Chatroom runs").
 */
export async function publishHidden(
  trx: Trx,
  hidden: HiddenTask,
): Promise<{ task: Task; version: TaskVersion }> {
  const { room, content } = hidden
  const made = await insertTask(trx, {
    id: newId('task'),
    company_id: room.company_id,
    owner_scope: 'chatroom',
    owner_id: room.id,
    name: hidden.name,
    hidden: true,
    egress_allow_list: hidden.allowList ?? null,
  })
  const id = newId('taskVersion')
  await insertVersion(trx, {
    id,
    task_id: made.id,
    company_id: room.company_id,
    version_number: 1,
    created_by: hidden.createdBy,
    ...columnsOf(content),
  })
  await moveVersion(
    trx,
    { companyId: room.company_id, id },
    { to: 'published', set: { published_at: hidden.publishedAt } },
  )
  await setCurrentVersions(trx, made, { current_published_version_id: id })
  const version = await findVersion(trx, { companyId: room.company_id, taskId: made.id, id })
  if (!version) throw new Error('a version that was just published is gone')
  const task = { ...made, current_published_version_id: id }
  return { task: renderTask(task), version: await viewOf(trx, version, { task, view: 'owner' }) }
}
