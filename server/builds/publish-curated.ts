import type { BuildProfile } from '@sandbox-jobs/contract/resources/profile.ts'
import { type Deployment, defaultRegion } from '@sandbox-jobs/contract/resources/region.ts'
import { newId } from '../base/ids.ts'
import type { Database } from '../db/database.ts'
import {
  type AddedVersion,
  addCuratedVersion,
  type Publishing,
  type PublishingRefusal,
} from '../environments/curated-environments.ts'
import { findLatestAttempt } from './attempt-record-store.ts'
import { fenceSeconds } from './build-fence.ts'
import { enqueueBuild } from './enqueue-build.ts'

export type Publication = AddedVersion & { attemptId: string }

/**
 * Queues the build of a curated version. The build is counted with the company whose archive it is: its slots, its
 * storage and its cache, so that an image that the company still has is taken over and not built again. The version is in
 * no company's sight before it is ready, its log and report are in nobody's but the operator's (`read-curated-build.ts`).
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
