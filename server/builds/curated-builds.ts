import { buffer } from 'node:stream/consumers'
import type {
  BuildStageRecord,
  FailedInstruction,
} from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { type Deployment, defaultRegion } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { newId } from '../base/ids.ts'
import type { Database, Executing } from '../db/database.ts'
import {
  type AddedVersion,
  addCuratedVersion,
  findCuratedVersion,
  type Publishing,
  type PublishingRefusal,
} from '../environments/operator/curated-environments.ts'
import { ObjectMissing, type ObjectStorage } from '../storage/port.ts'
import { findCuratedAttempt, findLatestAttempt } from './attempts/attempt-record-store.ts'
import { renderStages } from './attempts/build-details-service.ts'
import { fenceSeconds } from './attempts/build-fence.ts'
import { enqueueBuild } from './attempts/enqueue-build.ts'
import { buildLogKey } from './logs/build-log-store.ts'
import { findReport } from './reports/report-store.ts'

export type Publication = AddedVersion & { attemptId: string }

/**
 * Queues the build of a curated version. The build uses the slots, the storage and the cache of the company that owns the
 * archive, so an image that the company still has is reused and not built again. The version is visible to no company before
 * it is ready. Its log and report are visible only to the operator (`readCuratedBuild`).
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

/** The last build of a curated version, for the operator only. */
export interface CuratedBuild {
  environment_version_id: string
  version_number: number
  version_state: string
  build_id: string
  /** State of the attempt. */
  status: string
  error_code: string
  error_detail: string
  stages: BuildStageRecord[]
  failed_instruction: FailedInstruction | null
  network: BuildNetwork | null
  /** The build log; null before the builder has ended, and after the log was removed. */
  log: string | null
  /** The scan report; null before the scan, and after the report was removed. */
  report: ScanReport | null
}

/** Undefined when there is no such curated version. */
export async function readCuratedBuild(
  { db, storage }: { db: Executing; storage: ObjectStorage },
  versionId: string,
): Promise<CuratedBuild | undefined> {
  const version = await findCuratedVersion(db, versionId)
  const attempt = version && (await findCuratedAttempt(db, versionId))
  if (!attempt) return undefined
  const of = { companyId: attempt.company_id, attemptId: attempt.id }
  const kept = await findReport(db, of)
  const report = kept && (await textOf(storage, kept.reportKey))
  return {
    environment_version_id: versionId,
    version_number: version.version_number,
    version_state: version.state,
    build_id: attempt.id,
    status: attempt.state,
    error_code: attempt.error_code,
    error_detail: attempt.error_detail,
    stages: await renderStages(db, of),
    failed_instruction: attempt.failed_instruction,
    network: attempt.network,
    log: (await textOf(storage, buildLogKey(attempt.id))) ?? null,
    report: report === undefined ? null : (JSON.parse(report) as ScanReport),
  }
}

async function textOf(storage: ObjectStorage, key: string): Promise<string | undefined> {
  try {
    return (await buffer(await storage.get(key))).toString('utf8')
  } catch (error) {
    if (error instanceof ObjectMissing) return undefined
    throw error
  }
}
