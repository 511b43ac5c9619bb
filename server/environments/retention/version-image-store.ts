import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'

const failedStates = ['retryable_failed', 'rejected', 'abandoned'] as const

/** Digest of the version's layer. */
export async function findLayerOf(db: Executing, versionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('environment_versions')
    .modifyFront(acrossCompanies('a worker removes images from its host'))
    .select('layer_digest')
    .where('id', '=', versionId)
    .executeTakeFirst()
  return row?.layer_digest ?? undefined
}

/** Whether another version has the same layer. */
export async function isLayerOfAnother(
  db: Executing,
  { versionId, digest }: { versionId: string; digest: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('environment_versions')
    .modifyFront(acrossCompanies('a worker removes images from its host'))
    .select('id')
    .where('layer_digest', '=', digest)
    .where('id', '<>', versionId)
    .executeTakeFirst()
  return row !== undefined
}

/** Columns of a version whose image no longer exists. */
export const clearedImageColumns = {
  promoted_digest: null,
  composed_execution_digest: null,
  layer_digest: null,
  runner_release: null,
  policy_revision: null,
  image_config: null,
  unpacked_bytes: null,
  compressed_bytes: null,
  verified_at: null,
} as const

/** Versions whose build failed and that still refer to an image. */
export async function listFailedWithImage(db: Executing, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('environment_versions')
    .modifyFront(acrossCompanies('a worker removes images from its host'))
    .select('id')
    .where('state', 'in', failedStates)
    .where('layer_digest', 'is not', null)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

const failed = (db: Executing, versionId: string) =>
  db
    .selectFrom('environment_versions')
    .modifyFront(acrossCompanies('a worker removes images from its host'))
    .select('id')
    .where('id', '=', versionId)
    .where('state', 'in', failedStates)

/** Whether the version's build has failed and no retry is active. The result is not locked. */
export const isFailed = async (db: Executing, versionId: string): Promise<boolean> =>
  (await failed(db, versionId).executeTakeFirst()) !== undefined

/** Locks a version whose build failed until the transaction ends. False if it has not failed, or is being rebuilt. */
export const lockFailed = async (trx: Trx, versionId: string): Promise<boolean> =>
  (await failed(trx, versionId).forUpdate().executeTakeFirst()) !== undefined

export const clearImage = (trx: Trx, versionId: string): Promise<unknown> =>
  trx
    .updateTable('environment_versions')
    .set(clearedImageColumns)
    .where('id', '=', versionId)
    .modifyEnd(acrossCompanies('a worker removes images from its host'))
    .execute()
