import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database } from '../../db/database.ts'
import {
  findLayerOf,
  forgetImage,
  holdFailed,
  isFailed,
  listFailedWithImage,
} from '../../environments/retention/failed-images.ts'
import { leaveHostImage } from '../../environments/retention/host-images.ts'
import { deleteLayout } from '../../images/oci-layout.ts'
import type { BuildTools } from '../request/build.ts'
import { dropHostImage } from '../steps/drop-host-image.ts'

const buildSandbox = /^(bld_[0-9a-f]{32})_/
const stopTimeoutMs = 10_000
const batch = 100

type SweepTools = Pick<BuildTools, 'storage' | 'executor' | 'log'>

/**
 * Removes the sandboxes of terminal attempts and the images of failed ones: residue of workers that died right after their
 * last write, and of attempts that ended without a worker. One bounded round. Returns the number of removed sandboxes and
 * images.
 */
export async function sweepBuilds(
  db: Database,
  tools: SweepTools,
): Promise<{ sandboxes: number; images: number }> {
  const left = await sandboxesOfEnded(db, tools)
  let sandboxes = 0
  for (const { id } of left) {
    try {
      await tools.executor.stop(id)
      await tools.executor.wait(id, AbortSignal.timeout(stopTimeoutMs))
      await tools.executor.remove(id)
      sandboxes += 1
    } catch (error) {
      // Goes on with the others.
      tools.log.warn({ sandbox: id, error: String(error) }, 'cannot remove the sandbox of a build yet')
    }
  }
  const versions = new Set([
    ...left.map(({ versionId }) => versionId),
    ...(await listFailedWithImage(db, batch)),
  ])
  let images = 0
  for (const versionId of versions) {
    try {
      if (await sweepImage(db, tools, versionId)) images += 1
    } catch (error) {
      tools.log.warn(
        { version: versionId, error: String(error) },
        'cannot remove the image of a failed build yet',
      )
    }
  }
  return { sandboxes, images }
}

async function sandboxesOfEnded(db: Database, { executor }: SweepTools) {
  const sandboxes = (await executor.list()).flatMap(({ id }) => {
    const attemptId = buildSandbox.exec(id)?.[1]
    return attemptId === undefined ? [] : [{ id, attemptId }]
  })
  if (sandboxes.length === 0) return []
  const attempts = await db
    .selectFrom('build_attempts')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select(['id', 'environment_version_id', 'terminal_at'])
    .where('id', 'in', [...new Set(sandboxes.map(({ attemptId }) => attemptId))])
    .execute()
  const known = new Map(attempts.map((attempt) => [attempt.id, attempt]))
  return sandboxes.flatMap(({ id, attemptId }) => {
    const attempt = known.get(attemptId)
    if (attempt && !attempt.terminal_at) return []
    return [{ id, versionId: attempt?.environment_version_id ?? '' }]
  })
}

async function sweepImage(db: Database, tools: SweepTools, versionId: string): Promise<boolean> {
  if (!(await isFailed(db, versionId))) return false
  const layer = await findLayerOf(db, versionId)
  await dropHostImage(db, tools, { versionId, layerDigest: layer })
  return db.transaction().execute(async (trx) => {
    if (!(await holdFailed(trx, versionId))) return false
    await deleteLayout(tools.storage, versionId)
    await forgetImage(trx, versionId)
    // The worker that installed it may have been another executor's.
    if (layer !== undefined) await leaveHostImage(trx, layer)
    return true
  })
}
