import { isUtf8 } from 'node:buffer'
import { scriptMaxBytes, stagingSlotsMax } from '@sandbox-jobs/contract/limits.ts'
import type { ScriptTarget, ScriptUpload } from '@sandbox-jobs/contract/resources/tasks/task-upload.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { sha256Of } from '../../base/sha256.ts'
import { closeStaging, openStaging } from '../../environments/uploads/staging.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import { lockManagedTask, requireManagedTask, type TaskContext } from '../catalogue/task-access.ts'
import { changeDraft, requireDraft } from '../versions/task-version-service.ts'
import { insertScriptUpload, type ScriptUploadRow } from './script-upload-store.ts'
import type { OpenFile } from './upload-context.ts'

/**
 * Stores a script for a day; drafts of the task may refer to it any number of times. Counts as an upload from its first byte,
 * also if it fails. Throws `task_archived`, the codes of staging and of `readScript`.
 */
export async function uploadScript(
  context: TaskContext,
  principal: Principal,
  { taskId, open }: { taskId: string; open: OpenFile },
): Promise<ScriptUpload> {
  const { companyId, principalId } = principal
  const task = await requireManagedTask(context.db, principal, 'task.upload_script', taskId)
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
    const row = await context.db.transaction().execute(async (trx) => {
      const { state } = await lockManagedTask(trx, principal, 'task.upload_script', taskId)
      if (state !== 'active') throw new CodedError('task_archived')
      return insertScriptUpload(trx, {
        id: newId('scriptUpload'),
        company_id: companyId,
        task_id: taskId,
        filename: file.filename,
        content,
        byte_size: bytes.length,
        digest: sha256Of(bytes),
        created_by: principalId,
      })
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

/** Files of scripts that arrive at once: each may take minutes, and is in memory until it is complete. */
const arriving = new SharedSlots({ all: 64, each: stagingSlotsMax, assuredEach: 1 })

/**
 * Writes a script to a draft. Equivalent to an update with the text in the body, so it is not a staged upload. Throws
 * `staging_slot_exhausted` while too many of the company arrive.
 */
export async function putScriptFile(
  context: TaskContext,
  principal: Principal,
  file: { taskId: string; versionId: string; target: ScriptTarget; open: OpenFile },
): Promise<TaskVersion> {
  const { taskId, versionId, target } = file
  await requireDraft(context.db, principal, { taskId, versionId })
  const busy = () => new CodedError('staging_slot_exhausted', { limit: stagingSlotsMax })
  const script = await arriving.within(principal.companyId, busy, async () => {
    const { body } = await file.open()
    return readScript(body)
  })
  const request = target === 'startup' ? { startup_script: script } : { work_script: script }
  return changeDraft(context, principal, { taskId, versionId, request })
}

/**
 * Reads a script from the request, up to the size limit. Every byte is kept, including a byte order mark.
 * Throws `script_too_large`, `script_not_utf8`, `script_contains_nul`.
 */
async function readScript(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let byteSize = 0
  for await (const bytes of body) {
    byteSize += bytes.length
    if (byteSize > scriptMaxBytes) throw new CodedError('script_too_large', { limit: scriptMaxBytes })
    chunks.push(bytes)
  }
  const content = Buffer.concat(chunks)
  if (!isUtf8(content)) throw new CodedError('script_not_utf8')
  if (content.includes(0)) throw new CodedError('script_contains_nul')
  return content.toString('utf8')
}
