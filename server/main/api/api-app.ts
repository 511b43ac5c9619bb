import { sessionBytesDefault, sessionBytesMax } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { FastifyInstance } from 'fastify'
import type { ArchiveReaders } from '../../../reader/process/archive-readers.ts'
import { Authentication } from '../../access/authentication/authentication.ts'
import type { IdentityProvider } from '../../access/authentication/identity-provider.ts'
import { Directory } from '../../access/directory/directory.ts'
import { AccessTokens } from '../../access/login/access-tokens.ts'
import { LoginThrottle } from '../../access/login/login-throttle.ts'
import type { OpenIdProvider } from '../../access/sign-ins/openid-provider.ts'
import { parseAddressRange } from '../../base/addresses/address-range.ts'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import type { GuardedOptions } from '../../base/guarded-requests/guarded-request.ts'
import { keysFolder, openKeys } from '../../base/keys/keys.ts'
import { SignedTokens } from '../../base/keys/signed-tokens.ts'
import type { Log } from '../../base/logging.ts'
import { PageTokens } from '../../base/page.ts'
import { configuredCapacity } from '../../capacity/run-capacity.ts'
import { outputPolicies } from '../../custom-tables/policies/output-policies.ts'
import type { Database } from '../../db/database.ts'
import { RequestScheduler } from '../../fairness/request-scheduler.ts'
import { SerialByKey } from '../../fairness/serial-by-key.ts'
import { createApp } from '../../http/app.ts'
import { boundConnections, connectionBoundsFor } from '../../http/bounds/connection-bounds.ts'
import { type Authenticate, mounter } from '../../http/mount.ts'
import { refuseOtherMethods } from '../../http/other-methods.ts'
import { mountProviderPages } from '../../http/pages/provider-routes.ts'
import {
  mountAuthRoutes,
  mountMeRoutes,
  mountPublicInfoRoutes,
  mountPublicKeyRoute,
} from '../../http/routes/companies/account.ts'
import { mountManagementRoutes } from '../../http/routes/companies/management.ts'
import { mountHealthRoutes } from '../../http/routes/health.ts'
import { LogFollowers } from '../../live-logs/log-followers.ts'
import type { LogUpdates } from '../../live-logs/log-updates.ts'
import { apiDependencies } from '../../operations/health/api-dependencies.ts'
import { Readiness } from '../../operations/health/readiness.ts'
import manifest from '../../package.json' with { type: 'json' }
import { RunLookup } from '../../runs/lookup/run-lookup.ts'
import { cancelQueuedRunsOfTask } from '../../runs/queue/cancel-run.ts'
import { queuePolicy } from '../../runs/queue/queue-policy.ts'
import { repeatedWritesOf } from '../../runs/submit/repeated-writes.ts'
import { configuredKeys, type KeySetting } from '../../secrets/keys/configured-keys.ts'
import type { WrappingKeys } from '../../secrets/keys/wrapping-keys.ts'
import { StateWatchers } from '../../state-watch/state-watchers.ts'
import { Downloads } from '../../storage/downloads/downloads.ts'
import type { ServiceStorage } from '../../storage/port.ts'
import { mountAgents } from './api-agents.ts'
import { mountDirectory, mountNotifications, mountSettings } from './api-company.ts'
import { mountDoors } from './api-doors.ts'
import { mountEnvironments } from './api-environments.ts'
import { mountServedFiles } from './api-files.ts'
import { mountRuns } from './api-runs.ts'
import { mountTables } from './api-tables.ts'
import { mountSecrets, mountTasks } from './api-tasks.ts'

/** Dependencies of the API. */
export interface ApiParts {
  db: Database
  logNews: LogUpdates
  log: Log
  clock: Clock
  identityProvider?: IdentityProvider | undefined
  agentIdentityProvider?: IdentityProvider | undefined
  /** At which people sign in to the console. */
  openIdProvider?: OpenIdProvider | undefined
  /** How documents of OAuth clients are fetched; absent: from public addresses. */
  documentFetching?: GuardedOptions | undefined
  readers: ArchiveReaders
  storage: ServiceStorage
  /** Folder of the packed programs, with those that are served. */
  packedFolder?: string | undefined
  /** Wraps how callers are found, for tests that name theirs. */
  authenticateBy?: (usual: Authenticate) => Authenticate
  /** Keys are below `dataDir`; the rest are settings of the operator. */
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
    | 'registry'
    | 'publicRegistries'
  > &
    Partial<
      Pick<
        Config,
        | 'sessionBytes'
        | 'sessionMaxBytes'
        | 'readsPerLogLine'
        | 'mailServer'
        | 'webhookInnerRanges'
        | KeySetting
      >
    >
  /** Absent: those that the settings name. */
  wrappingKeys?: WrappingKeys
  /** Whether the service takes changes; absent: as the setting says. */
  isEnabled?: () => boolean
  /** Absent: one of its own. */
  scheduler?: RequestScheduler
  /** Aborted when the process was asked to stop; absent: never. */
  draining?: AbortSignal
}

/** The API with all its routes. Every object of it is created here, from top to bottom. */
export function createApiApp({
  db,
  logNews,
  log,
  clock,
  identityProvider,
  agentIdentityProvider,
  openIdProvider,
  documentFetching,
  readers,
  storage,
  packedFolder,
  authenticateBy = (usual) => usual,
  config,
  wrappingKeys,
  isEnabled = () => config.enabled,
  scheduler = new RequestScheduler(),
  draining,
}: ApiParts): FastifyInstance {
  const { deployment, baseUrl } = config
  const keys = openKeys(keysFolder(config.dataDir))
  const pages = new PageTokens(keys.derive('page-token'))
  const lifetimeSeconds = config.accessTokenSeconds
  const tokens = new AccessTokens({ keys: keys.tokens, clock, issuer: keys.deployment, lifetimeSeconds })
  const signed = new SignedTokens({ keys: keys.tokens, clock, audience: keys.deployment })
  const directory = new Directory(db)
  const policy = queuePolicy(deployment, configuredCapacity(config))
  const credentials = new Authentication({
    db,
    tokens,
    identityProvider,
    peppers: keys.peppers,
    clock,
    baseUrl,
  })
  const authenticate = authenticateBy(credentials.authenticate)

  const trustedProxies = config.trustedProxies.flatMap((range) => parseAddressRange(range) ?? [])
  const app = createApp(log, { requestLog: { trustedProxies, readsPerLine: config.readsPerLogLine ?? 0 } })
  boundConnections(app, connectionBoundsFor(trustedProxies))
  const mounting = { authenticate, isEnabled, hasSpace: () => storage.hasSpace(), scheduler }
  const mount = mounter(app, mounting)

  mountServedFiles(app, { baseUrl, packedFolder, provider: openIdProvider?.settings.name })
  mountHealthRoutes(app, { readiness: new Readiness(apiDependencies({ db, storage }), log), draining })
  mountPublicInfoRoutes(mount, { deployment })
  mountPublicKeyRoute(mount, { keys, log })
  const throttle = new LoginThrottle({ db, clock, keys: keys.derive('login-attempt') })
  const login = { db, tokens, throttle, trustedProxies, documentFetching }
  mountAuthRoutes(mount, { ...login, clock, baseUrl })
  const atProvider = { provider: openIdProvider, signed, log, scheduler }
  mountProviderPages(app, mount, { ...login, ...atProvider, clock, baseUrl })
  mountMeRoutes(mount, { ...login, directory, isEnabled, deployment, version: manifest.version })
  const downloads = new Downloads(storage, {
    spend: (companyId, ms, signal) => scheduler.spend(companyId, ms, signal),
  })
  mountSettings(mount, { db, clock, deployment, runtimeEgress: config.runtimeEgress, pages, downloads })
  mountDirectory(app, mount, { db, directory, clock, pages, keys, signed, baseUrl, scheduler })

  const followed = { followers: new LogFollowers(db, logNews), watchers: new StateWatchers(db, logNews) }
  const kept = { db, log, pages, storage, keys, downloads, ...followed }
  mountEnvironments(mount, { ...kept, deployment, departments: directory, config })

  const outputs = outputPolicies({ db, directory, clock, log, dataDir: config.dataDir })
  const repeats = repeatedWritesOf(db)
  const tasks = { db, directory, pages, clock, outputs, repeats, cancelQueuedRunsOfTask }
  mountTasks(app, mounting, { ...tasks, storage, log, readers })

  const runs = new RunLookup(db, policy)
  const shared = { db, storage, keys, clock, directory, pages, policy, runs, outputs }
  const sessionSizes = {
    defaultBytes: config.sessionBytes ?? sessionBytesDefault,
    maxBytes: config.sessionMaxBytes ?? sessionBytesMax,
  }
  const sessions = { sessionSizes, changeTurns: new SerialByKey() }
  const following = { ...followed, scheduler, downloads }
  mountRuns(mount, { ...shared, ...following, ...sessions, log, baseUrl })
  const wrapping = wrappingKeys ?? configuredKeys(config, 'api')
  mountSecrets(mount, { db, directory, pages, clock, log, keys, wrappingKeys: wrapping, tasks })
  mountTables(mount, { db, directory, pages, clock, outputs, downloads })
  mountManagementRoutes(mount, { tasks, runs: { db, directory, clock, policy, pages } })
  mountAgents(app, mounting, { ...shared, signed, log, logNews, login, agentIdentityProvider, baseUrl })
  mountDoors(app, mounting, { ...shared, ...following, ...sessions, log, logNews })
  const live = { updates: logNews, service: { isEnabled, version: manifest.version } }
  mountNotifications(mount, { db, clock, pages, directory, log, wrappingKeys: wrapping, ...live, config })
  refuseOtherMethods(app, Object.values(allRoutes), { authenticate, isEnabled })
  return app
}
