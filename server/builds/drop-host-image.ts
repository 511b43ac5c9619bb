import type { Database } from '../db/database.ts'
import { findLayerOf, isLayerOfAnother } from '../environments/failed-images.ts'
import { ExecutorRefused } from '../executor/port.ts'
import type { BuildTools } from './steps/step.ts'

/**
 * Removes from the host what a build has installed of an image that will never be ready; `layerDigest` is of a layer that its
 * version does not know yet. The host may be full or slow, so no transaction is open meanwhile: should the version be built
 * again that very moment, the host takes its image once more, as it does with every image that it lacks. Repeating it is safe.
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
