import { scriptMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { ScriptTarget, ScriptUpload } from '@sandbox-jobs/contract/resources/task-upload.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/task-version.ts'
import { CodedError } from '../base/coded-error.ts'
import { newId } from '../base/ids.ts'
import { sha256Of } from '../base/sha256.ts'
import { closeStaging, openStaging } from '../environments/staging.ts'
import type { Principal } from '../platform/principal.ts'
import { readScript } from './script-content.ts'
import { insertScriptUpload, type ScriptUploadRow } from './script-upload-store.ts'
import { requireManagedTask } from './task-access.ts'
import type { TaskContext } from './task-context.ts'
import { changeDraft, requireDraft } from './task-version-service.ts'
import type { OpenFile } from './upload-context.ts'

/**
 * Keeps a script for a day, to be named by drafts of the task as often as wanted. Counts as an upload from its first
 * byte on, whatever becomes of it. Throws `task_archived`, the codes of staging and of `readScript`.
 */
export async function uploadScript(
  context: TaskContext,
  principal: Principal,
  { taskId, open }: { taskId: string; open: OpenFile },
): Promise<ScriptUpload> {
  const { companyId, principalId } = principal
  const task = await requireManagedTask(context.db, principal, taskId)
  if (task.state !== 'active') throw new CodedError('task_archived')
  const lease = await openStaging(context.db, {
    companyId,
    kind: 'script',
    declaredBytes: scriptMaxBytes,
    storageKey: null,
  })
  try {
    const file = await open()
    const content = await readScript(file.body)
    const bytes = Buffer.from(content)
    const row = await insertScriptUpload(context.db, {
      id: newId('scriptUpload'),
      company_id: companyId,
      task_id: taskId,
      filename: file.filename,
      content,
      byte_size: bytes.length,
      digest: sha256Of(bytes),
      created_by: principalId,
    })
    return renderScriptUpload(row)
  } finally {
    await closeStaging(context.db, companyId, lease)
  }
}

const renderScriptUpload = (row: ScriptUploadRow): ScriptUpload => ({
  id: row.id,
  filename: row.filename,
  byte_size: row.byte_size,
  sha256: row.digest,
  expires_at: row.expires_at.toISOString(),
})

/** Puts a script into a draft: the same as to change it with the text in the body, so it is no staged upload. */
export async function putScriptFile(
  context: TaskContext,
  principal: Principal,
  file: { taskId: string; versionId: string; target: ScriptTarget; open: OpenFile },
): Promise<TaskVersion> {
  const { taskId, versionId, target } = file
  await requireDraft(context.db, principal, { taskId, versionId })
  const { body } = await file.open()
  const script = await readScript(body)
  const request = target === 'startup' ? { startup_script: script } : { work_script: script }
  return changeDraft(context, principal, { taskId, versionId, request })
}
