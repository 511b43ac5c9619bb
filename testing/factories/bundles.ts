import { newId } from '../../server/base/ids.ts'
import type { Database } from '../../server/db/database.ts'
import type { ObjectStorage } from '../../server/storage/port.ts'
import type { RunnableTask } from './runs.ts'

/** A stored bundle of the task's version, with arbitrary bytes. */
export async function storeBundle(
  db: Database,
  storage: ObjectStorage,
  task: RunnableTask,
  archive: { format: 'zip' | 'tar.gz'; bytes: Buffer },
): Promise<{ id: string; storageKey: string }> {
  const id = newId('taskBundle')
  const storageKey = `bundles/${task.companyId}/${id}`
  const stored = await storage.put(storageKey, archive.bytes)
  await db
    .insertInto('task_bundles')
    .values({
      id,
      company_id: task.companyId,
      task_id: task.taskId,
      filename: 'bundle',
      archive_format: archive.format,
      storage_key: storageKey,
      byte_size: stored.byteSize,
      digest: stored.digest,
      file_count: 1,
      created_by: 'test',
      expires_at: new Date(),
      look_at: new Date(),
    })
    .execute()
  await db
    .updateTable('task_versions')
    .set({ bundle_id: id, bundle_digest: stored.digest })
    .where('id', '=', task.versionId)
    .execute()
  return { id, storageKey }
}
