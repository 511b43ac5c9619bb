import { createHash } from 'node:crypto'
import {
  activeEnvironmentLimitDefault,
  buildRetryWindowSeconds,
  capacityRetainedVersionLimitDefault,
  queuedBuildLimitDefault,
  stagingSlotsMax,
  uploadInitsPerMinuteMax,
} from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sql } from 'kysely'
import { newId } from '../../base/ids.ts'
import { raiseFence } from '../../builds/build-fence.ts'
import { makeTenantTask } from './examples.ts'
import type { Provocations, Scene } from './provocation.ts'

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const version = (fields: Record<string, unknown> = {}) => ({
  source_digest: digest('context'),
  resource_profile: 'standard',
  ...fields,
})

const environment = ({ ids }: Scene) => ({ id: ids.environment })
const versionOf = ({ ids }: Scene, vid: string) => ({ id: ids.environment, vid })
const received = ({ ids }: Scene) => ({ id: ids.environment, sid: ids.receivedUpload })

/** The uploads of the estate lie back so far that a minute has passed. */
const forgetUploads = ({ db }: Scene) =>
  db.updateTable('upload_sessions').set({ created_at: sql`now() - interval '1 hour'` }).execute()

const init = (scene: Scene, declared_bytes = 7) =>
  scene.must('manager', allRoutes.initContextUpload, { params: environment(scene), body: { declared_bytes } })

const put = (scene: Scene, session: Record<string, unknown>, bytes: string) =>
  scene.ask('manager', allRoutes.putContextUpload, {
    params: { ...environment(scene), sid: String(session.upload_session_id) },
    bytes: Buffer.from(bytes),
    headers: { 'x-sandbox-upload-capability': String(session.capability_token) },
  })

const complete = (scene: Scene, body: Record<string, unknown> = {}) =>
  scene.ask('manager', allRoutes.completeContextUpload, { params: received(scene), body })

const archiveEnvironment = (scene: Scene) =>
  scene.must('manager', allRoutes.archiveEnvironment, { params: environment(scene) })

/** Images of versions. */
const imageProvocations: Provocations = {
  image_untrusted: async (scene) => {
    const { ids, world } = scene
    await world.storage.put(`images/${ids.readyVersion}/oci-layout`, Buffer.from('{}'))
    return scene.ask('manager', allRoutes.readProvenance, { params: versionOf(scene, ids.readyVersion) })
  },
}

/** Uploads of contexts. */
const uploadProvocations: Provocations = {
  staging_slot_exhausted: async (scene) => {
    await forgetUploads(scene)
    for (let held = 2; held < stagingSlotsMax; held += 1) {
      await init(scene)
      await forgetUploads(scene)
    }
    return scene.ask('manager', allRoutes.initContextUpload, {
      params: environment(scene),
      body: { declared_bytes: 7 },
    })
  },
  upload_rate_limited: async (scene) => {
    await forgetUploads(scene)
    for (let begun = 0; begun < uploadInitsPerMinuteMax; begun += 1) await init(scene)
    return scene.ask('manager', allRoutes.initContextUpload, {
      params: environment(scene),
      body: { declared_bytes: 7 },
    })
  },
  capability_fenced: async (scene) =>
    put(scene, { ...(await init(scene)), capability_token: 'other' }, 'bytes'),
  context_too_large: async (scene) => put(scene, await init(scene, 4), 'bytes'),
  upload_incomplete: (scene) =>
    scene.ask('manager', allRoutes.completeContextUpload, {
      params: { ...environment(scene), sid: scene.ids.upload },
    }),
  upload_size_mismatch: (scene) => complete(scene, { expected_size: 6 }),
  upload_digest_mismatch: (scene) => complete(scene, { expected_digest: digest('other') }),
  storage_unavailable: async (scene) => {
    const { storage_key } = await scene.db
      .selectFrom('upload_sessions')
      .select('storage_key')
      .where('id', '=', scene.ids.receivedUpload)
      .executeTakeFirstOrThrow()
    await scene.world.storage.move(storage_key ?? '', 'elsewhere')
    const provoked = await complete(scene)
    await scene.world.storage.move('elsewhere', storage_key ?? '')
    return provoked
  },
}

/** Environments, versions and builds. */
export const environmentProvocations: Provocations = {
  ...uploadProvocations,
  ...imageProvocations,
  owner_scope_forbidden: (scene) =>
    scene.ask('member', allRoutes.createTask, { body: makeTenantTask(scene) }),
  active_environment_limit: async (scene) => {
    const owned = { owner_scope: 'department', owner_id: scene.ids.department }
    for (let made = 1; made < activeEnvironmentLimitDefault; made += 1) {
      await scene.must('manager', allRoutes.createEnvironment, {
        body: { name: `Environment ${made}`, ...owned },
      })
    }
    return scene.ask('manager', allRoutes.createEnvironment, { body: { name: 'One more', ...owned } })
  },
  environment_archived: async (scene) => {
    await archiveEnvironment(scene)
    return scene.ask('manager', allRoutes.createEnvironmentVersion, {
      params: environment(scene),
      body: version(),
    })
  },
  version_allocation_exhausted: async (scene) => {
    const rows = Array.from({ length: capacityRetainedVersionLimitDefault }, (_, at) => ({
      id: newId('environmentVersion'),
      company_id: scene.world.own.companyId,
      environment_id: scene.ids.environment,
      version_number: 100 + at,
      state: 'verified',
      resource_profile: 'standard',
    }))
    await scene.db.insertInto('environment_versions').values(rows).execute()
    return scene.ask('manager', allRoutes.createEnvironmentVersion, {
      params: environment(scene),
      body: version(),
    })
  },
  isolation_unavailable: (scene) =>
    scene.ask('manager', allRoutes.changeVersionIsolation, {
      params: versionOf(scene, scene.ids.version),
      body: { isolation: 'gvisor' },
    }),
  source_digest_mismatch: async (scene) => {
    const { answer } = await complete(scene)
    return scene.ask('manager', allRoutes.createEnvironmentVersion, {
      params: environment(scene),
      body: version({ owned_object_id: answer.json().owned_object_id, source_digest: digest('other') }),
    })
  },
  build_not_eligible: (scene) =>
    scene.ask('manager', allRoutes.createBuild, { params: versionOf(scene, scene.ids.readyVersion) }),
  nonterminal_exists: (scene) =>
    scene.ask('manager', allRoutes.createBuild, { params: versionOf(scene, scene.ids.version) }),
  not_cancellable: (scene) =>
    scene.askTwice('manager', allRoutes.cancelBuild, {
      params: { ...versionOf(scene, scene.ids.version), aid: scene.ids.build },
    }),
  retry_not_eligible: (scene) =>
    scene.ask('manager', allRoutes.retryBuild, { params: versionOf(scene, scene.ids.readyVersion) }),
  retry_window_expired: async (scene) => {
    await scene.db
      .updateTable('environment_versions')
      .set({ state_changed_at: new Date(Date.now() - (buildRetryWindowSeconds + 60) * 1000) })
      .where('id', '=', scene.ids.failedVersion)
      .execute()
    return scene.ask('manager', allRoutes.retryBuild, { params: versionOf(scene, scene.ids.failedVersion) })
  },
  provisioning_retry_not_eligible: (scene) =>
    scene.ask('manager', allRoutes.retryProvisioning, { params: versionOf(scene, scene.ids.failedVersion) }),
  build_region_unavailable: (scene) =>
    scene.ask('manager', allRoutes.createBuild, {
      params: versionOf(scene, scene.ids.failedVersion),
      body: { build_region: 'asia-east1' },
    }),
  sandbox_queued_build_limit: async (scene) => {
    for (let queued = 1; queued < queuedBuildLimitDefault; queued += 1) {
      const made = await scene.must('manager', allRoutes.createEnvironmentVersion, {
        params: environment(scene),
        body: version(),
      })
      await scene.must('manager', allRoutes.createBuild, { params: versionOf(scene, String(made.id)) })
    }
    return scene.ask('manager', allRoutes.retryBuild, { params: versionOf(scene, scene.ids.failedVersion) })
  },
  build_admission_fenced: async (scene) => {
    await raiseFence(scene.db, 5)
    return scene.ask('manager', allRoutes.retryBuild, { params: versionOf(scene, scene.ids.failedVersion) })
  },
}
