import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { contextUploadRoutes } from '@sandbox-jobs/contract/routes/context-upload-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { tar } from '../../reader/formats/archive-fixtures.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import {
  archiveCuratedEnvironment,
  listCuratedEnvironments,
} from '../environments/operator/curated-environments.ts'
import { liftFence, raiseFence } from './attempts/build-fence.ts'
import { buildSlots } from './attempts/build-limits.ts'
import { endWaitingBuilds } from './attempts/cancel-builds.ts'
import { endLocked } from './attempts/claims/attempt-end-store.ts'
import { claimNextAttempt } from './attempts/claims/claim-attempt-store.ts'
import { recordCachedImage } from './cache/build-cache-store.ts'
import { type Publication, publishCurated, readCuratedBuild } from './curated-builds.ts'
import { buildLogKey } from './logs/build-log-store.ts'
import { readBuildRequest } from './request/build-request-store.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let author: Tenant
let other: Tenant
let source: EnvironmentVersion

beforeAll(async () => {
  author = await makeTenant(db)
  other = await makeTenant(db)
  const { id } = await api.environments.create(author.companyManager)
  const archive = tar({ name: 'Dockerfile', content: 'FROM scratch\n' })
  const { owned_object_id } = await api.environments.upload(author.companyManager, id, archive)
  source = await api.must(environmentRoutes.createEnvironmentVersion, author.companyManager, {
    params: { id },
    body: { owned_object_id, resource_profile: 'large', source_ref: 'secret.tar' },
  })
  await setReady(source.id)
})

const digest = `sha256:${'1'.repeat(64)}`
async function setReady(id: string): Promise<void> {
  await db
    .updateTable('environment_versions')
    .set({ state: 'ready', ready_at: new Date(), layer_digest: digest, promoted_digest: digest })
    .where('id', '=', id)
    .execute()
  await db
    .updateTable('build_attempts')
    .set({ state: 'completed', terminal_at: new Date() })
    .where('environment_version_id', '=', id)
    .where('terminal_at', 'is', null)
    .execute()
}

const publish = (sourceVersionId = source.id, name = 'python') =>
  publishCurated(db, 'onprem', { sourceVersionId, name, description: 'Python' })

async function mustPublish(name: string): Promise<Publication> {
  const published = await publish(source.id, name)
  if (typeof published === 'string') throw new Error(published)
  return published
}

describe('a curated version', () => {
  it('is built from the archive of its source company, and belongs to no company', async () => {
    const { attemptId, versionId, environmentId } = await mustPublish('built')
    const attempt = await claimNextAttempt(db, {
      worker: 'worker',
      leaseMs: 60_000,
      share: buildSlots({ slots: 64 }),
    })
    expect(attempt).toMatchObject({
      id: attemptId,
      company_id: author.companyId,
      environment_version_id: versionId,
    })
    if (!attempt) return
    const { request } = await readBuildRequest(db, attempt)
    expect(request).toMatchObject({
      companyId: author.companyId,
      environmentId,
      resourceProfile: 'large',
      context: { digest: source.source_digest },
    })
  })

  it('is readable by every company without owner details, and changeable by none', async () => {
    const { environmentId, versionId, attemptId } = await mustPublish('read')
    const params = { id: environmentId, vid: versionId, aid: attemptId, sid: 'x' }
    await setReady(versionId)
    for (const { companyManager } of [author, other]) {
      expect(await api.must(environmentRoutes.readEnvironment, companyManager, { params })).toMatchObject({
        name: 'read',
        owner_kind: 'system_curated',
        company_id: null,
      })
      expect(
        await api.must(environmentRoutes.readEnvironmentVersion, companyManager, {
          params,
        }),
      ).toMatchObject({ company_id: null, source_digest: null, source_ref: null, state: 'ready' })
      const closed: [Route, unknown?][] = [
        [environmentRoutes.updateEnvironment, { name: 'mine' }],
        [environmentRoutes.archiveEnvironment],
        [environmentRoutes.createEnvironmentVersion, { source_digest: digest, resource_profile: 'standard' }],
        [environmentRoutes.archiveEnvironmentVersion],
        [environmentRoutes.createBuild],
        [environmentRoutes.retryBuild],
        [environmentRoutes.cancelBuild],
        [contextUploadRoutes.initContextUpload, { declared_bytes: 1 }],
        [extensionRoutes.readBuildDetails],
        [extensionRoutes.readBuildLog],
        [extensionRoutes.followBuildLog],
        [extensionRoutes.changeVersionIsolation, { isolation: 'gvisor' }],
      ]
      for (const [route, body] of closed) {
        const answer = await api.call(route, companyManager, {
          params,
          ...(body !== undefined && { body }),
        })
        expect([route.path, answer.status]).toEqual([route.path, 404])
      }
    }
  })

  it('is visible to no company before it is ready', async () => {
    const { environmentId, versionId, attemptId } = await mustPublish('hidden')
    const params = { id: environmentId, vid: versionId, aid: attemptId }
    for (const route of [
      environmentRoutes.readEnvironmentVersion,
      environmentRoutes.readBuild,
      environmentRoutes.listBuilds,
    ]) {
      const answer = await api.call(route, author.companyManager, { params })
      expect([route.path, answer.status]).toEqual([route.path, 404])
    }
    const list = () =>
      api.must(environmentRoutes.listEnvironmentVersions, other.member, {
        params,
      })
    expect((await list()).items).toEqual([])
    await setReady(versionId)
    expect((await list()).items).toMatchObject([{ id: versionId }])
  })

  it('shows the operator how its build failed, with its log', async () => {
    const { attemptId, versionId } = await mustPublish('failing')
    const { storage } = api.context
    expect(await readCuratedBuild({ db, storage }, source.id)).toBeUndefined()
    await storage.put(buildLogKey(attemptId), Buffer.from('no such file\n'))
    const failed = { state: 'customer_failed', errorCode: 'dockerfile_exit', errorDetail: 'line_2' } as const
    const row = await db
      .updateTable('build_attempts')
      .set({ state: 'validating', worker: 'worker', lease_until: new Date(Date.now() + 60_000) })
      .where('id', '=', attemptId)
      .returningAll()
      .executeTakeFirstOrThrow()
    await db.transaction().execute((trx) => endLocked(trx, row, failed))
    expect(await readCuratedBuild({ db, storage }, versionId)).toMatchObject({
      build_id: attemptId,
      version_state: 'retryable_failed',
      status: 'customer_failed',
      error_code: 'dockerfile_exit',
      error_detail: 'line_2',
      log: 'no such file\n',
      report: null,
    })
  })

  it('is not queued while the build fence is up', async () => {
    await raiseFence(db, 1)
    expect(await publish(source.id, 'fenced')).toBe('builds_held_back')
    await liftFence(db)
    expect((await listCuratedEnvironments(db)).map(({ name }) => name)).not.toContain('fenced')
  })

  it('is the next version of its environment, and current once it is ready', async () => {
    const first = await mustPublish('numbered')
    const second = await mustPublish('numbered')
    expect(second.environmentId).toBe(first.environmentId)
    expect([first.versionNumber, second.versionNumber]).toEqual([1, 2])
    const [listed] = await listCuratedEnvironments(db)
    expect(listed).toMatchObject({ name: 'numbered', state: 'active', current_version_number: null })
  })

  it('is not made from a version that is not ready, blocked, curated, or gone', async () => {
    const draft = await api.environments.version(author.companyManager, source.environment_id)
    expect(await publish('ver_none')).toBe('source_unknown')
    expect(await publish((await mustPublish('self')).versionId)).toBe('source_unknown')
    expect(await publish(draft.id)).toBe('source_not_ready')
    await setReady(draft.id)
    expect(await publish(draft.id)).toBe('source_archive_gone')
    await db
      .updateTable('environment_versions')
      .set({ security_state: 'blocked' })
      .where('id', '=', draft.id)
      .execute()
    expect(await publish(draft.id)).toBe('source_not_ready')
    expect((await listCuratedEnvironments(db)).map(({ name }) => name)).not.toContain('python')
  })

  it('is hidden once its environment is archived, whose name is free again', async () => {
    const { environmentId, versionId } = await mustPublish('old')
    await setReady(versionId)
    expect(await archiveCuratedEnvironment(db, 'old', endWaitingBuilds)).toBe(true)
    expect(await archiveCuratedEnvironment(db, 'old', endWaitingBuilds)).toBe(false)
    const { items } = await api.must(environmentRoutes.listEnvironments, other.member)
    expect(items.map(({ id }) => id)).not.toContain(environmentId)
    const params = { id: environmentId, vid: versionId }
    expect((await api.call(environmentRoutes.readEnvironmentVersion, other.member, { params })).status).toBe(
      200,
    )
    expect((await mustPublish('old')).environmentId).not.toBe(environmentId)
  })

  it('is not reused by a build of the same files in a company', async () => {
    const { versionId } = await mustPublish('cached')
    await db
      .transaction()
      .execute((trx) =>
        recordCachedImage(trx, { companyId: author.companyId, key: digest, versionId, networkSince: null }),
      )
    expect(await db.selectFrom('build_cache').selectAll().execute()).toEqual([])
  })
})
