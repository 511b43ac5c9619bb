import { acrossCompanies } from '../db/across-companies.ts'
import type { Database } from '../db/database.ts'
import { forgetImage, holdFailed, isFailed, listFailedWithImage } from '../environments/failed-images.ts'
import { dropHostImage } from './drop-host-image.ts'
import { deleteLayout } from './oci-layout.ts'
import type { BuildTools } from './steps/step.ts'

const buildSandbox = /^(bld_[0-9a-f]{32})_/
const stopTimeoutMs = 10_000
const batch = 100

type SweepTools = Pick<BuildTools, 'storage' | 'executor' | 'log'>

/**
 * Removes the sandboxes of attempts that have ended, and the images of those that failed: what a worker leaves that dies
 * right after its last write, and attempts that no worker came to the end of. One bounded round; answers how many sandboxes
 * and images went.
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
      // The others do not wait for it.
      tools.log.warn({ sandbox: id, error: String(error) }, 'sandbox of a build not removed yet')
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
      tools.log.warn({ version: versionId, error: String(error) }, 'image of a failed build not removed yet')
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
  await dropHostImage(db, tools, { versionId })
  return db.transaction().execute(async (trx) => {
    if (!(await holdFailed(trx, versionId))) return false
    await deleteLayout(tools.storage, versionId)
    await forgetImage(trx, versionId)
    return true
  })
}
