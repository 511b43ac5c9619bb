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
import { newId } from '../../../server/base/ids.ts'
import { raiseFence } from '../../../server/builds/attempts/build-fence.ts'
import { type ErrorScenarios, makeTenantTask, type ScenarioContext } from './error-scenario.ts'

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const version = (fields: Record<string, unknown> = {}) => ({
  source_digest: digest('context'),
  resource_profile: 'standard',
  ...fields,
})

const environment = ({ ids }: ScenarioContext) => ({ id: ids.environment })
const versionOf = ({ ids }: ScenarioContext, vid: string) => ({ id: ids.environment, vid })
const received = ({ ids }: ScenarioContext) => ({ id: ids.environment, sid: ids.receivedUpload })

/** Backdates the uploads of the seed beyond the rate limit's minute. */
const forgetUploads = ({ db }: ScenarioContext) =>
  db.updateTable('upload_sessions').set({ created_at: sql`now() - interval '1 hour'` }).execute()

const init = (context: ScenarioContext, declared_bytes = 7) =>
  context.sendOk('manager', allRoutes.initContextUpload, {
    params: environment(context),
    body: { declared_bytes },
  })

const put = (context: ScenarioContext, session: Record<string, unknown>, bytes: string) =>
  context.send('manager', allRoutes.putContextUpload, {
    params: { ...environment(context), sid: String(session.upload_session_id) },
    bytes: Buffer.from(bytes),
    headers: { 'x-sandbox-upload-capability': String(session.capability_token) },
  })

const complete = (context: ScenarioContext, body: Record<string, unknown> = {}) =>
  context.send('manager', allRoutes.completeContextUpload, { params: received(context), body })

const archiveEnvironment = (context: ScenarioContext) =>
  context.sendOk('manager', allRoutes.archiveEnvironment, { params: environment(context) })

/** Errors of images. */
const imageScenarios: ErrorScenarios = {
  image_untrusted: async (context) => {
    const { ids, world } = context
    await world.storage.put(`images/${ids.readyVersion}/oci-layout`, Buffer.from('{}'))
    return context.send('manager', allRoutes.readProvenance, { params: versionOf(context, ids.readyVersion) })
  },
}

/** Errors of context uploads. */
const uploadScenarios: ErrorScenarios = {
  staging_slot_exhausted: async (context) => {
    await forgetUploads(context)
    for (let held = 2; held < stagingSlotsMax; held += 1) {
      await init(context)
      await forgetUploads(context)
    }
    return context.send('manager', allRoutes.initContextUpload, {
      params: environment(context),
      body: { declared_bytes: 7 },
    })
  },
  upload_rate_limited: async (context) => {
    await forgetUploads(context)
    for (let started = 0; started < uploadInitsPerMinuteMax; started += 1) await init(context)
    return context.send('manager', allRoutes.initContextUpload, {
      params: environment(context),
      body: { declared_bytes: 7 },
    })
  },
  capability_fenced: async (context) =>
    put(context, { ...(await init(context)), capability_token: 'other' }, 'bytes'),
  context_too_large: async (context) => put(context, await init(context, 4), 'bytes'),
  upload_incomplete: (context) =>
    context.send('manager', allRoutes.completeContextUpload, {
      params: { ...environment(context), sid: context.ids.upload },
    }),
  upload_size_mismatch: (context) => complete(context, { expected_size: 6 }),
  upload_digest_mismatch: (context) => complete(context, { expected_digest: digest('other') }),
  storage_unavailable: async (context) => {
    const { storage_key } = await context.db
      .selectFrom('upload_sessions')
      .select('storage_key')
      .where('id', '=', context.ids.receivedUpload)
      .executeTakeFirstOrThrow()
    await context.world.storage.move(storage_key ?? '', 'elsewhere')
    const response = await complete(context)
    await context.world.storage.move('elsewhere', storage_key ?? '')
    return response
  },
}

/** Errors of environments, versions and builds. */
export const environmentScenarios: ErrorScenarios = {
  ...uploadScenarios,
  ...imageScenarios,
  owner_scope_forbidden: (context) =>
    context.send('member', allRoutes.createTask, { body: makeTenantTask(context) }),
  active_environment_limit: async (context) => {
    const owned = { owner_scope: 'department', owner_id: context.ids.department }
    for (let made = 1; made < activeEnvironmentLimitDefault; made += 1) {
      await context.sendOk('manager', allRoutes.createEnvironment, {
        body: { name: `Environment ${made}`, ...owned },
      })
    }
    return context.send('manager', allRoutes.createEnvironment, { body: { name: 'One more', ...owned } })
  },
  environment_archived: async (context) => {
    await archiveEnvironment(context)
    return context.send('manager', allRoutes.createEnvironmentVersion, {
      params: environment(context),
      body: version(),
    })
  },
  version_allocation_exhausted: async (context) => {
    const rows = Array.from({ length: capacityRetainedVersionLimitDefault }, (_, at) => ({
      id: newId('environmentVersion'),
      company_id: context.world.own.companyId,
      environment_id: context.ids.environment,
      version_number: 100 + at,
      state: 'verified',
      resource_profile: 'standard',
    }))
    await context.db.insertInto('environment_versions').values(rows).execute()
    return context.send('manager', allRoutes.createEnvironmentVersion, {
      params: environment(context),
      body: version(),
    })
  },
  isolation_unavailable: (context) =>
    context.send('manager', allRoutes.changeVersionIsolation, {
      params: versionOf(context, context.ids.version),
      body: { isolation: 'gvisor' },
    }),
  source_digest_mismatch: async (context) => {
    const { answer } = await complete(context)
    return context.send('manager', allRoutes.createEnvironmentVersion, {
      params: environment(context),
      body: version({ owned_object_id: answer.json().owned_object_id, source_digest: digest('other') }),
    })
  },
  build_not_eligible: (context) =>
    context.send('manager', allRoutes.createBuild, { params: versionOf(context, context.ids.readyVersion) }),
  nonterminal_exists: (context) =>
    context.send('manager', allRoutes.createBuild, { params: versionOf(context, context.ids.version) }),
  not_cancellable: (context) =>
    context.sendTwice('manager', allRoutes.cancelBuild, {
      params: { ...versionOf(context, context.ids.version), aid: context.ids.build },
    }),
  retry_not_eligible: (context) =>
    context.send('manager', allRoutes.retryBuild, { params: versionOf(context, context.ids.readyVersion) }),
  retry_window_expired: async (context) => {
    await context.db
      .updateTable('environment_versions')
      .set({ state_changed_at: new Date(Date.now() - (buildRetryWindowSeconds + 60) * 1000) })
      .where('id', '=', context.ids.failedVersion)
      .execute()
    return context.send('manager', allRoutes.retryBuild, {
      params: versionOf(context, context.ids.failedVersion),
    })
  },
  provisioning_retry_not_eligible: (context) =>
    context.send('manager', allRoutes.retryProvisioning, {
      params: versionOf(context, context.ids.failedVersion),
    }),
  build_region_unavailable: (context) =>
    context.send('manager', allRoutes.createBuild, {
      params: versionOf(context, context.ids.failedVersion),
      body: { build_region: 'asia-east1' },
    }),
  sandbox_queued_build_limit: async (context) => {
    for (let queued = 1; queued < queuedBuildLimitDefault; queued += 1) {
      const made = await context.sendOk('manager', allRoutes.createEnvironmentVersion, {
        params: environment(context),
        body: version(),
      })
      await context.sendOk('manager', allRoutes.createBuild, { params: versionOf(context, String(made.id)) })
    }
    return context.send('manager', allRoutes.retryBuild, {
      params: versionOf(context, context.ids.failedVersion),
    })
  },
  build_admission_fenced: async (context) => {
    await raiseFence(context.db, 5)
    return context.send('manager', allRoutes.retryBuild, {
      params: versionOf(context, context.ids.failedVersion),
    })
  },
}
