import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { FastifyInstance } from 'fastify'
import { parseAddressRange } from '../base/address-range.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import { keysFolder, openKeys } from '../base/keys.ts'
import type { Log } from '../base/logging.ts'
import { PageTokens } from '../base/page.ts'
import { PublishedSigningKeys } from '../base/published-signing-keys.ts'
import { signingKeysFolder } from '../base/signing-keys.ts'
import { endWaitingBuilds } from '../builds/end-waiting-builds.ts'
import type { ArchiveReaders } from '../builds/reader/archive-readers.ts'
import type { Database } from '../db/database.ts'
import { offeredIsolations } from '../environments/isolation.ts'
import { createApp } from '../http/app.ts'
import { boundConnections, connectionBoundsFor } from '../http/connection-bounds.ts'
import { withFiles } from '../http/file-part.ts'
import { mounter } from '../http/mount.ts'
import { refuseOtherMethods } from '../http/other-methods.ts'
import { RequestTurns } from '../http/request-turns.ts'
import { mountAuthRoutes } from '../http/routes/auth.ts'
import { mountBindingRoutes } from '../http/routes/bindings.ts'
import { mountBuildRoutes } from '../http/routes/builds.ts'
import { mountBundleUploadRoute } from '../http/routes/bundle-uploads.ts'
import { mountChatroomJobsRoutes } from '../http/routes/chatroom-jobs.ts'
import { mountContextUploadRoutes } from '../http/routes/context-uploads.ts'
import { mountEnvironmentRoutes } from '../http/routes/environments.ts'
import { mountFindingRoutes } from '../http/routes/findings.ts'
import { mountGrantedJobRoutes } from '../http/routes/granted-jobs.ts'
import { mountInputPreviewRoute } from '../http/routes/input-preview.ts'
import { mountManagementRoutes } from '../http/routes/management.ts'
import { mountMeRoutes } from '../http/routes/me.ts'
import { mountMenuRoutes } from '../http/routes/menu.ts'
import { mountOpenApiRoutes } from '../http/routes/openapi.ts'
import { mountPlatformRoutes } from '../http/routes/platform.ts'
import { mountProvenanceRoutes } from '../http/routes/provenance.ts'
import { mountPublicDownloadRoute } from '../http/routes/public-download.ts'
import { mountPublicInfoRoutes } from '../http/routes/public-info.ts'
import { mountPublicKeyRoute } from '../http/routes/public-key.ts'
import { mountPublicLinkRoutes } from '../http/routes/public-links.ts'
import { mountRunLogRoutes } from '../http/routes/run-logs.ts'
import { mountRunRoutes } from '../http/routes/runs.ts'
import { mountScriptUploadRoutes } from '../http/routes/script-uploads.ts'
import { mountSettingsRoutes } from '../http/routes/settings.ts'
import { mountShareRoutes } from '../http/routes/shares.ts'
import { mountTaskHistoryRoutes } from '../http/routes/task-history.ts'
import { mountTaskVersionRoutes } from '../http/routes/task-versions.ts'
import { mountTaskRoutes } from '../http/routes/tasks.ts'
import { mountVersionRoutes } from '../http/routes/versions.ts'
import { LogFollowers } from '../live-logs/log-followers.ts'
import type { LiveNews } from '../live-logs/log-news.ts'
import { AccessTokens } from '../platform/access-tokens.ts'
import { Authentication } from '../platform/authentication.ts'
import { Directory } from '../platform/directory.ts'
import type { IdentityProvider } from '../platform/identity-provider.ts'
import { LoginAttempts } from '../platform/login-attempts.ts'
import { cancelQueuedRunsOfTask } from '../runs/cancel-queued.ts'
import { queuePolicy } from '../runs/queue-policy.ts'
import { stageInput } from '../runs/run-input.ts'
import { RunLookup } from '../runs/run-lookup.ts'
import { placesOf } from '../runs/run-places.ts'
import { RunReadings } from '../runs/run-readings.ts'
import { SubmissionQueue } from '../runs/submission-queue.ts'
import { DiskStorage } from '../storage/disk.ts'
import { Runnables, validateInput } from '../tasks/runnable.ts'

/** What the API stands on. */
export interface ApiParts {
  db: Database
  logNews: LiveNews
  log: Log
  clock: Clock
  identityProvider?: IdentityProvider | undefined
  readers: ArchiveReaders
  /** Keys and objects lie below `dataDir`; the rest is what the operator may set. */
  config: Pick<
    Config,
    | 'dataDir'
    | 'deployment'
    | 'enabled'
    | 'baseUrl'
    | 'trustedProxies'
    | 'reservedRunSlots'
    | 'runSlots'
    | 'sandboxMemoryMib'
    | 'accessTokenSeconds'
    | 'runtimes'
    | 'runtimeEgress'
  > &
    Partial<Pick<Config, 'diskFloorBytes'>>
}

/** The API with all its routes: every object of it is made here, from top to bottom. */
export function createApiApp({
  db,
  logNews,
  log,
  clock,
  identityProvider,
  readers,
  config,
}: ApiParts): FastifyInstance {
  const { deployment, enabled, baseUrl } = config
  const storage = new DiskStorage(join(config.dataDir, 'objects'), config.diskFloorBytes)
  const keys = openKeys(keysFolder(config.dataDir))
  const pages = new PageTokens(keys.derive('page-token'))
  const { peppers } = keys
  const tokens = new AccessTokens({
    keys: keys.tokens,
    clock,
    issuer: baseUrl,
    lifetimeSeconds: config.accessTokenSeconds,
  })
  const directory = new Directory(db)
  const policy = queuePolicy(deployment, placesOf(config))
  const { authenticate } = new Authentication({ db, tokens, identityProvider, peppers, clock })

  const app = createApp(log)
  const trustedProxies = config.trustedProxies.flatMap((range) => parseAddressRange(range) ?? [])
  boundConnections(app, connectionBoundsFor(trustedProxies))
  const turns = new RequestTurns()
  const mounting = { authenticate, enabled, hasSpace: () => storage.hasSpace(), turns }
  const mount = mounter(app, mounting)

  mountOpenApiRoutes(app, { baseUrl })
  mountPublicInfoRoutes(mount, { deployment })
  mountPublicKeyRoute(mount, { keys, log })
  const attempts = new LoginAttempts({ db, clock, key: keys.derive('login-attempt') })
  mountAuthRoutes(mount, { db, tokens, attempts, trustedProxies })
  mountMeRoutes(mount, { directory, enabled, deployment })
  mountSettingsRoutes(mount, { db, clock, deployment, runtimeEgress: config.runtimeEgress })
  mountPlatformRoutes(mount, { db, pageTokens: pages, clock, peppers })
  mountChatroomJobsRoutes(mount, { db, directory, clock })

  const uploadCapabilityKey = keys.derive('upload-capability')
  const environments = {
    db,
    log,
    pageTokens: pages,
    storage,
    uploadCapabilityKey,
    deployment,
    isolations: offeredIsolations(config.runtimes),
    endWaitingBuilds,
    departments: directory,
  }
  mountEnvironmentRoutes(mount, environments)
  mountContextUploadRoutes(mount, environments)
  mountVersionRoutes(mount, environments)
  const followers = new LogFollowers(db, logNews)
  mountBuildRoutes(mount, { ...environments, followers })
  const signing = new PublishedSigningKeys(signingKeysFolder(config.dataDir))
  mountProvenanceRoutes(mount, { db, storage, signing })
  mountFindingRoutes(mount, environments)

  const tasks = { db, directory, pages, clock, cancelQueuedRunsOfTask }
  mountTaskRoutes(mount, tasks)
  mountTaskVersionRoutes(mount, tasks)
  mountShareRoutes(mount, tasks)
  mountGrantedJobRoutes(mount, tasks)
  mountBindingRoutes(mount, tasks)
  mountMenuRoutes(mount, tasks)
  mountInputPreviewRoute(mount, { ...tasks, stageInput })
  withFiles(app, (files) => {
    const mountWithFiles = mounter(files, mounting)
    mountScriptUploadRoutes(mountWithFiles, tasks)
    mountBundleUploadRoute(mountWithFiles, { ...tasks, storage, log, readers })
  })

  const capabilityKey = keys.derive('download-capability')
  const runs = new RunLookup(db, policy)
  const submitting = {
    runnables: new Runnables(db),
    queue: new SubmissionQueue(db, policy),
    policy,
    validateInput,
  }
  const readings = new RunReadings(db)
  mountRunRoutes(mount, { ...submitting, db, directory, runs, readings, pages, clock, capabilityKey })
  mountPublicLinkRoutes(mount, { db, directory, runs, clock, linkKey: keys.derive('public-link'), baseUrl })
  mountRunLogRoutes(mount, { db, directory, runs, storage, followers })
  mountPublicDownloadRoute(mount, { db, storage, turns })
  mountTaskHistoryRoutes(mount, { db })
  mountManagementRoutes(mount, { tasks, runs: { db, directory, runs, policy, pages } })
  refuseOtherMethods(app, Object.values(allRoutes), { authenticate, enabled })
  return app
}
