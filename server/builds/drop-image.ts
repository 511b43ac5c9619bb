import type { Executing } from '../db/database.ts'
import { findLayerOf, isLayerOfAnother } from '../environments/failed-images.ts'
import { ExecutorRefused } from '../executor/port.ts'
import { deleteLayout } from './oci-layout.ts'
import type { BuildTools } from './steps/step.ts'

/**
 * Takes away what a build has made of an image that will never be ready, in storage and on the host; `layerDigest` is of a
 * layer that its version does not know yet. Call it while nothing else can build the version. Repeating it is safe.
 */
export async function dropImage(
  db: Executing,
  { storage, executor, log }: Pick<BuildTools, 'storage' | 'executor' | 'log'>,
  { versionId, layerDigest }: { versionId: string; layerDigest?: string | undefined },
): Promise<void> {
  await deleteLayout(storage, versionId)
  const digest = layerDigest ?? (await findLayerOf(db, versionId))
  if (digest === undefined || (await isLayerOfAnother(db, { versionId, digest }))) return
  try {
    if (await executor.hasImage(digest)) await executor.removeImage(digest)
  } catch (error) {
    if (!(error instanceof ExecutorRefused)) throw error
    log.warn({ version: versionId, error: error.message }, 'the image of a failed build stays on the host')
  }
}
