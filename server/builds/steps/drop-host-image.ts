import { ExecutorRefused } from '../../../agent/port/errors.ts'
import type { Database } from '../../db/database.ts'
import { findLayerOf, isLayerOfAnother } from '../../environments/retention/failed-images.ts'
import type { BuildTools } from '../request/build.ts'

/**
 * Removes the image of a failed build from the host. `layerDigest` is given if the version's row does not have it yet. The host
 * may be full or slow, so no transaction is open meanwhile. If the version is built again at the same moment, its image is
 * installed again, as every image that the host lacks. Repeating it is safe.
 */
export async function dropHostImage(
  db: Database,
  { executor, log }: Pick<BuildTools, 'executor' | 'log'>,
  { versionId, layerDigest }: { versionId: string; layerDigest?: string | undefined },
): Promise<void> {
  const digest = layerDigest ?? (await findLayerOf(db, versionId))
  if (digest === undefined || (await isLayerOfAnother(db, { versionId, digest }))) return
  try {
    if (await executor.hasImage(digest)) await executor.removeImage(digest)
  } catch (error) {
    if (!(error instanceof ExecutorRefused)) throw error
    log.warn({ version: versionId, error: error.message }, 'the image of a failed build stays on the host')
  }
}
