import { Readable } from 'node:stream'
import { bundleMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { BundleUpload } from '@sandbox-jobs/contract/resources/tasks/task-upload.ts'
import type { ArchiveSource } from '../../../reader/formats/archive.ts'
import { ReaderDied } from '../../../reader/process/reader-process.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { ValidationError } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import { closeStaging, dropStaging, openStaging } from '../../environments/uploads/staging.ts'
import { ObjectTooLarge, type StoredObject } from '../../storage/port.ts'
import { lockManagedTask, requireManagedTask } from '../catalogue/task-access.ts'
import { BundleRefused, bundleFormatOf, inspectBundle } from './bundle-archive.ts'
import { type BundleRow, insertBundle } from './bundle-store.ts'
import type { OpenFile, SentFile, UploadContext } from './upload-context.ts'

export interface BundleSending {
  taskId: string
  /** By `Content-Length`, if present. */
  contentLength: number | undefined
  open: OpenFile
}

/**
 * Stores a bundle as sent and checks it once by the rules that apply before every run. The bytes belong to the staging lease
 * of the upload until one transaction transfers them to the bundle's row. A refused upload leaves no residue.
 * Throws `task_archived`, `bundle_too_large`, `bundle_path_forbidden`, `bundle_invalid`, the codes of staging and
 * `storage_unavailable`.
 */
export async function uploadBundle(
  context: UploadContext,
  principal: Principal,
  sending: BundleSending,
): Promise<BundleUpload> {
  const { companyId } = principal
  const task = await requireManagedTask(context.db, principal, 'task.change', sending.taskId)
  if (task.state !== 'active') throw new CodedError('task_archived')
  const id = newId('taskBundle')
  const storageKey = `bundles/${companyId}/${id}`
  const declaredBytes = Math.min(sending.contentLength ?? bundleMaxBytes, bundleMaxBytes)
  const lease = await openStaging(context.db, { companyId, kind: 'bundle', declaredBytes, storageKey })
  try {
    const file = await sending.open()
    const stored = await store(context, storageKey, file)
    const archive = await inspect(context, storageKey, stored)
    const row = await context.db.transaction().execute(async (trx) => {
      const { state } = await lockManagedTask(trx, principal, 'task.change', sending.taskId)
      if (state !== 'active') throw new CodedError('task_archived')
      if (!(await closeStaging(trx, companyId, lease))) throw new CodedError('storage_unavailable')
      return insertBundle(trx, {
        id,
        company_id: companyId,
        task_id: sending.taskId,
        filename: file.filename,
        archive_format: archive.format,
        storage_key: storageKey,
        byte_size: stored.byteSize,
        digest: stored.digest,
        file_count: archive.fileCount,
        created_by: principal.principalId,
      })
    })
    return renderBundle(row)
  } catch (error) {
    await dropStaging(context, { companyId, lease, storageKey })
    throw error
  }
}

async function store(
  { storage, log }: Pick<UploadContext, 'storage' | 'log'>,
  key: string,
  file: SentFile,
): Promise<StoredObject> {
  try {
    return await storage.put(key, Readable.from(file.body), { maxBytes: bundleMaxBytes })
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw new CodedError('bundle_too_large', { limit: bundleMaxBytes })
    if (error instanceof ValidationError) throw error
    log.error({ err: error }, 'a bundle could not be stored')
    throw new CodedError('storage_unavailable')
  }
}

async function inspect(
  { storage, readers, log }: Pick<UploadContext, 'storage' | 'readers' | 'log'>,
  key: string,
  { byteSize }: StoredObject,
) {
  const source: ArchiveSource = { byteSize, open: (range) => storage.get(key, range) }
  try {
    const format = await bundleFormatOf(source)
    return { format, fileCount: await inspectBundle(readers, source, format) }
  } catch (error) {
    if (error instanceof BundleRefused) throw new CodedError(error.code, { reason: error.reason })
    if (!(error instanceof ReaderDied)) throw error
    log.error({ err: error }, 'a bundle could not be read')
    throw new CodedError('storage_unavailable')
  }
}

const renderBundle = (row: BundleRow): BundleUpload => ({
  id: row.id,
  filename: row.filename,
  byte_size: row.byte_size,
  sha256: row.digest,
  file_count: row.file_count,
  expires_at: row.expires_at.toISOString(),
})
