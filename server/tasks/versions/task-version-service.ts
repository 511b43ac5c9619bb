import type {
  TaskVersion,
  TaskVersionCreateRequest,
  TaskVersionUpdateRequest,
} from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import { checkDraftPolicy } from '../../custom-tables/policies/output-policies.ts'
import type { Executing } from '../../db/database.ts'
import { getVersion } from '../../environments/versions/ready-versions.ts'
import {
  lockManagedTask,
  requireManagedTask,
  type SeenTask,
  seeTask,
  type TaskContext,
} from '../catalogue/task-access.ts'
import { setCurrentVersions } from '../catalogue/task-store.ts'
import { lockBundle, withUploads } from '../files/upload-handles.ts'
import { checkJobContract } from './job-contract.ts'
import { requireReadyEnvironment } from './ready-environment.ts'
import { renderTaskVersion } from './render-task-version.ts'
import {
  bytesOf,
  contentHashOf,
  digestOf,
  emptyContent,
  namesAnyField,
  type VersionContent,
  withRequested,
} from './task-version.ts'
import {
  findVersion,
  insertVersion,
  lockVersion,
  nextVersionNumber,
  type TaskVersionRow,
  updateDraft,
} from './task-version-store.ts'

/**
 * Creating and changing drafts and reading versions; `publish-version.ts` and `archive-version.ts` change their
 * state.
 */
export async function createDraft(
  context: TaskContext,
  principal: Principal,
  draft: { taskId: string; request: TaskVersionCreateRequest },
): Promise<TaskVersion> {
  const { taskId, request } = draft
  const managed = await requireManagedTask(context.db, principal, 'task.change', taskId)
  if (managed.state !== 'active') throw new CodedError('task_archived')
  const key = { companyId: principal.companyId, taskId }
  const resolved = await withUploads(context.db, key, request)
  const content = withRequested(emptyContent(request.environment_version_id), resolved)
  await requireReadyEnvironment(context.db, principal.companyId, content.environment_version_id)
  await checkJobContract(principal.companyId, content)
  await checkPolicy(context, principal, request)
  const created = await context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, 'task.change', taskId)
    if (task.state !== 'active') throw new CodedError('task_archived')
    await lockBundle(trx, key, content.bundle_id)
    await requireStorageQuota(trx, principal.companyId, bytesOf(content))
    const row = await insertVersion(trx, {
      id: newId('taskVersion'),
      task_id: taskId,
      company_id: principal.companyId,
      version_number: await nextVersionNumber(trx, principal.companyId, taskId),
      created_by: principal.principalId,
      sole_author: true,
      ...columnsOf(content),
    })
    await setCurrentVersions(trx, task, { current_draft_version_id: row.id })
    return { row, task }
  })
  return viewOf(context.db, created.row, { task: created.task, view: 'owner' })
}

/**
 * Changes a draft. The result must be a draft that could have been created directly. Throws `draft_changed` where it is not the one
 * of `ifDigest` any more.
 */
export async function changeDraft(
  context: TaskContext,
  principal: Principal,
  change: {
    taskId: string
    versionId: string
    request: TaskVersionUpdateRequest
    ifDigest?: string | undefined
  },
): Promise<TaskVersion> {
  const { taskId, versionId, request, ifDigest } = change
  const key = { companyId: principal.companyId, taskId, id: versionId }
  const before = await requireDraft(context.db, principal, { taskId, versionId })
  if (!namesAnyField(request)) throw new CodedError('no_fields')
  if (ifDigest !== undefined && ifDigest !== before.canonical_digest) throw new CodedError('draft_changed')
  const resolved = await withUploads(context.db, key, request)
  const content = withRequested(contentOf(before), resolved)
  await requireReadyEnvironment(context.db, principal.companyId, content.environment_version_id)
  await checkJobContract(principal.companyId, content)
  await checkPolicy(context, principal, request)
  const changed = await context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, 'task.change', taskId)
    if (task.state !== 'active') throw new CodedError('task_archived')
    await lockBundle(trx, key, content.bundle_id)
    const more = bytesOf(content) - bytesOf(contentOf(before))
    if (more > 0) await requireStorageQuota(trx, principal.companyId, more)
    // Only the draft that was checked is written: one that was changed meanwhile is not overwritten.
    const now = await lockVersion(trx, key)
    const same = now?.state === 'draft' && now.canonical_digest === before.canonical_digest
    const sole_author = now?.sole_author === true && now.created_by === principal.principalId
    const set = { ...columnsOf(content), sole_author }
    const row = now && same ? await updateDraft(trx, now, set) : undefined
    if (!row)
      throw new CodedError(
        ifDigest !== undefined && now?.state === 'draft' ? 'draft_changed' : 'illegal_transition',
      )
    return { row, task }
  })
  return viewOf(context.db, changed.row, { task: changed.task, view: 'owner' })
}

async function checkPolicy(
  { outputs }: TaskContext,
  { companyId }: Principal,
  { output_policy: policy }: TaskVersionUpdateRequest,
): Promise<void> {
  if (policy) await checkDraftPolicy(outputs, companyId, policy)
}

/** The draft, for a manager of its task. Throws `not_found`, `illegal_transition`. */
export async function requireDraft(
  db: Executing,
  principal: Principal,
  key: { taskId: string; versionId: string },
): Promise<TaskVersionRow> {
  await requireManagedTask(db, principal, 'task.change', key.taskId)
  const { companyId } = principal
  const row = await findVersion(db, { companyId, taskId: key.taskId, id: key.versionId })
  if (!row) throw notFound()
  if (row.state !== 'draft') throw new CodedError('illegal_transition')
  return row
}

/** The version as its reader may see it; borrowers see only versions that were published. */
export async function seeVersion(
  context: TaskContext,
  principal: Principal,
  key: { taskId: string; versionId: string },
): Promise<SeenTask & { row: TaskVersionRow }> {
  const seen = await seeTask(context, principal, key.taskId)
  const row = await findVersion(context.db, {
    companyId: principal.companyId,
    taskId: key.taskId,
    id: key.versionId,
  })
  if (!row || (seen.view === 'borrower' && row.published_at === null)) throw notFound()
  return { ...seen, row }
}

export async function readVersion(
  context: TaskContext,
  principal: Principal,
  key: { taskId: string; versionId: string },
): Promise<TaskVersion> {
  const { row, ...seen } = await seeVersion(context, principal, key)
  return viewOf(context.db, row, seen)
}

type Seen = Pick<SeenTask, 'task' | 'view'>

/** The wire form of one version, with the name of its environment. */
export const viewOf = async (db: Executing, row: TaskVersionRow, seen: Seen): Promise<TaskVersion> =>
  (await viewsOf(db, [row], seen))(row)

/** The same for several versions, with their environments read together. */
export async function viewsOf(
  db: Executing,
  rows: readonly TaskVersionRow[],
  seen: Seen,
): Promise<(row: TaskVersionRow) => TaskVersion> {
  const environments = await environmentsOf(db, rows)
  return (row) =>
    renderTaskVersion(row, {
      view: seen.view,
      environment: environments.get(row.environment_version_id) ?? goneEnvironment,
      currentPublishedVersionId: seen.task.current_published_version_id,
    })
}

const goneEnvironment = { id: '', name: '' }

async function environmentsOf(
  db: Executing,
  rows: readonly TaskVersionRow[],
): Promise<Map<string, { id: string; name: string }>> {
  const companyByVersion = new Map(rows.map((row) => [row.environment_version_id, row.company_id]))
  const found = await Promise.all(
    [...companyByVersion].map(([id, companyId]) => getVersion(db, companyId, id)),
  )
  return new Map(
    found.flatMap((version) =>
      version ? [[version.id, { id: version.environment_id, name: version.environment_name }] as const] : [],
    ),
  )
}

const contentOf = (row: TaskVersionRow): VersionContent => ({
  environment_version_id: row.environment_version_id,
  startup_script: row.startup_script,
  work_script: row.work_script,
  work_command: row.work_command,
  ordinary_env: row.ordinary_env as VersionContent['ordinary_env'],
  input_instructions: row.input_instructions,
  input_example: row.input_example,
  input_schema: row.input_schema,
  timeout_seconds: row.timeout_seconds,
  secret_slot_declarations: row.secret_slot_declarations as VersionContent['secret_slot_declarations'],
  requires_confirmation: row.requires_confirmation,
  output_policy: row.output_policy as VersionContent['output_policy'],
  bundle_id: row.bundle_id,
  bundle_digest: row.bundle_digest,
})

/** A version's content as its row holds it. */
export const columnsOf = (content: VersionContent) => ({
  ...content,
  secret_slot_declarations:
    content.secret_slot_declarations && JSON.stringify(content.secret_slot_declarations),
  output_policy: content.output_policy && JSON.stringify(content.output_policy),
  canonical_digest: digestOf(content),
  content_hash: contentHashOf(content),
})
