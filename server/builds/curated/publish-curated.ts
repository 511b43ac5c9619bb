import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { type Deployment, defaultRegion } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { newId } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import {
  type AddedVersion,
  addCuratedVersion,
  type Publishing,
  type PublishingRefusal,
} from '../../environments/operator/curated-environments.ts'
import { fenceSeconds } from '../admission/build-fence.ts'
import { findLatestAttempt } from '../attempts/attempt-record-store.ts'
import { enqueueBuild } from '../attempts/enqueue-build.ts'

export type Publication = AddedVersion & { attemptId: string }

/**
 * Queues the build of a curated version. The build uses the slots, the storage and the cache of the company that owns the
 * archive, so an image that the company still has is reused and not built again. The version is visible to no company before
 * it is ready. Its log and report are visible only to the operator (`read-curated-build.ts`).
 */
export async function publishCurated(
  db: Database,
  deployment: Deployment,
  publishing: Publishing,
): Promise<Publication | PublishingRefusal | 'builds_held_back'> {
  return db.transaction().execute(async (trx) => {
    if ((await fenceSeconds(trx)) > 0) return 'builds_held_back'
    const added = await addCuratedVersion(trx, publishing)
    if (typeof added === 'string') return added
    const last = await findLatestAttempt(trx, added.source.companyId, publishing.sourceVersionId)
    const attemptId = newId('buildAttempt')
    await enqueueBuild(trx, {
      id: attemptId,
      company_id: added.source.companyId,
      environment_version_id: added.versionId,
      build_region: defaultRegion[deployment],
      build_profile: (last?.build_profile ?? 'standard') as BuildProfile,
      raw_upload_digest: added.source.digest,
    })
    return { ...added, attemptId }
  })
}
