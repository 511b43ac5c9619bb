import type { Insertable } from 'kysely'
import { newId } from '../../server/base/ids.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import type { Database } from '../../server/db/database.ts'
import type { RunsTable } from '../../server/db/tables/runs.ts'
import type { TaskVersionsTable } from '../../server/db/tables/tasks.ts'
import { makeEnvironmentVersion } from './environment-version.ts'
import { makeUser } from './platform.ts'

export interface RunnableTask {
  companyId: string
  taskId: string
  versionId: string
  environmentVersionId: string
  shareGrantId: string
  /** A company manager, who submits its runs; without one no run of the task starts. */
  submitterId?: string
}

const digest = `sha256:${'2'.repeat(64)}`

/** A published version of a company-owned task, shared to the whole company. */
export async function makeRunnableTask(
  db: Database,
  companyId: string,
  fields: Partial<Insertable<TaskVersionsTable>> = {},
): Promise<RunnableTask> {
  const { id: environmentVersionId } = await makeEnvironmentVersion(db, { companyId })
  const taskId = newId('task')
  await db
    .insertInto('tasks')
    .values({
      id: taskId,
      company_id: companyId,
      owner_scope: 'company',
      owner_id: companyId,
      name: 'Report',
    })
    .execute()
  const versionId = newId('taskVersion')
  await db
    .insertInto('task_versions')
    .values({
      id: versionId,
      task_id: taskId,
      company_id: companyId,
      version_number: 1,
      state: 'published',
      environment_version_id: environmentVersionId,
      work_script: 'true',
      canonical_digest: digest,
      content_hash: digest,
      created_by: 'test',
      published_at: new Date(),
      ...fields,
    })
    .execute()
  const shareGrantId = newId('shareGrant')
  await db
    .insertInto('share_grants')
    .values({
      id: shareGrantId,
      company_id: companyId,
      task_id: taskId,
      target_kind: 'company',
      target_id: companyId,
      generation: 1,
    })
    .execute()
  const { principalId: submitterId } = await makeUser(db, companyId, { role: 3 })
  return { companyId, taskId, versionId, environmentVersionId, shareGrantId, submitterId }
}

/** A queued run with this input, as a submission stores it; `fields` override its columns. */
export async function makeRun(
  db: Database,
  task: RunnableTask,
  fields: Partial<Insertable<RunsTable>> & { chatroom_id: string },
  content: Buffer = Buffer.from('{}'),
): Promise<string> {
  const id = fields.id ?? newId('run')
  const run = {
    id,
    company_id: task.companyId,
    task_id: task.taskId,
    task_version_id: task.versionId,
    environment_version_id: task.environmentVersionId,
    share_grant_id: task.shareGrantId,
    resource_profile: 'standard',
    principal_type: 'user',
    principal_id: task.submitterId ?? 'usr_test',
    auth_method: 'jwt',
    submission_source: 'rest',
    timeout_seconds: 60,
    input_digest: sha256Of(content),
    executor: fields.worker ?? null,
    ...fields,
  } as const
  // A worker that polls meanwhile must find either all rows or none.
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('runs').values(run).execute()
    await trx.insertInto('run_inputs').values({ run_id: id, company_id: task.companyId, content }).execute()
  })
  return id
}
