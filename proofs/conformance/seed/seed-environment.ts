import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Principal } from '../../../server/access/principal.ts'
import { newId } from '../../../server/base/ids.ts'
import { buildLogKey } from '../../../server/builds/logs/build-log-store.ts'
import type { Database } from '../../../server/db/database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeFinding, recordFindings, storeReport } from '../../../testing/factories/scanned-build.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import type { SeedScope, SeedTools } from './seed-tools.ts'

export async function makeEnvironment(tools: SeedTools, scope: SeedScope) {
  const { db, sendOk } = tools
  const { companyId, department, manager } = scope
  const { id: readyVersion, environmentId: environment } = await makeEnvironmentVersion(db, { companyId })
  await db
    .updateTable('environments')
    .set({ owner_scope: 'department', owner_id: department })
    .where('id', '=', environment)
    .execute()
  const image = await makeSignedImage(tools, { versionId: readyVersion, layer: Buffer.from('layer') })
  await db
    .updateTable('environment_versions')
    .set({ layer_digest: image.layerDigest, promoted_digest: image.promotedDigest })
    .where('id', '=', readyVersion)
    .execute()
  const params = { id: environment }
  const draft = { source_digest: `sha256:${'a'.repeat(64)}`, resource_profile: 'standard' }
  const version = await sendOk(manager, allRoutes.createEnvironmentVersion, { params, body: draft })
  const attempt = await sendOk(manager, allRoutes.createBuild, {
    params: { ...params, vid: String(version.id) },
  })
  await tools.storage.put(buildLogKey(String(attempt.id)), Buffer.from('STEP 1/1: FROM scratch'))
  const scanned = { companyId, environmentId: environment, versionId: String(version.id) }
  await storeReport(db, tools.storage, { ...scanned, attemptId: String(attempt.id) })
  const findings = await makeFindings(tools, { ...scope, ...scanned, current: readyVersion })
  const failed = await sendOk(manager, allRoutes.createEnvironmentVersion, { params, body: draft })
  await db
    .updateTable('environment_versions')
    .set({ state: 'retryable_failed', state_changed_at: new Date() })
    .where('id', '=', String(failed.id))
    .execute()
  const failedBuild = await makeFailedBuild(db, { companyId, versionId: String(failed.id) })
  const bytes = Buffer.from('archive')
  const body = { declared_bytes: bytes.length }
  const upload = await sendOk(manager, allRoutes.initContextUpload, { params, body })
  const received = await sendOk(manager, allRoutes.initContextUpload, { params, body })
  await sendOk(manager, allRoutes.putContextUpload, {
    params: { ...params, sid: String(received.upload_session_id) },
    bytes,
    headers: { 'x-sandbox-upload-capability': String(received.capability_token) },
  })
  return {
    environment,
    readyVersion,
    version: String(version.id),
    failedVersion: String(failed.id),
    build: String(attempt.id),
    failedBuild,
    ...findings,
    upload: String(upload.upload_session_id),
    receivedUpload: String(received.upload_session_id),
  }
}

async function makeFailedBuild(db: Database, of: { companyId: string; versionId: string }): Promise<string> {
  const id = newId('buildAttempt')
  await db
    .insertInto('build_attempts')
    .values({
      id,
      company_id: of.companyId,
      environment_version_id: of.versionId,
      attempt_number: 1,
      state: 'customer_failed',
      error_code: 'dockerfile_exit',
      build_region: 'onprem',
      build_profile: 'standard',
      terminal_at: new Date(),
    })
    .execute()
  return id
}

/** One finding without and one with an exception. */
async function makeFindings(
  { db, sendOk }: SeedTools,
  made: { companyId: string; environmentId: string; current: string; manager: Principal },
) {
  await recordFindings(db, { ...made, versionId: made.current }, [
    makeFinding('usr/bin/a'),
    makeFinding('usr/bin/b'),
  ])
  const params = { id: made.environmentId }
  const { items } = await sendOk(made.manager, allRoutes.listFindings, { params })
  const [finding = '', excepted = ''] = (items as { id: string }[]).map(({ id }) => id)
  const exception = await sendOk(made.manager, allRoutes.createException, {
    params: { ...params, fid: excepted },
    body: { reason: 'known' },
  })
  return { finding, exception: String(exception.id) }
}
