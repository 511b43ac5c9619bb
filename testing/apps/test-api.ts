import { join } from 'node:path'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'
import { Directory } from '../../server/access/directory/directory.ts'
import { AccessTokens } from '../../server/access/login/access-tokens.ts'
import type { Principal } from '../../server/access/principal.ts'
import { keysFolder, openKeys } from '../../server/base/keys/keys.ts'
import { createLog } from '../../server/base/logging.ts'
import { PageTokens } from '../../server/base/page.ts'
import { endWaitingBuilds } from '../../server/builds/attempts/cancel-builds.ts'
import { readLastBuilds } from '../../server/builds/attempts/last-build-store.ts'
import { configuredCapacity } from '../../server/capacity/run-capacity.ts'
import { outputPolicies } from '../../server/custom-tables/policies/output-policies.ts'
import type { Database } from '../../server/db/database.ts'
import type { EnvironmentContext } from '../../server/environments/catalogue/environment-context.ts'
import { offeredIsolations } from '../../server/environments/versions/version-settings.ts'
import { type ApiParts, createApiApp } from '../../server/main/api/api-app.ts'
import { cancelQueuedRunsOfTask } from '../../server/runs/queue/cancel-run.ts'
import { type QueuePolicy, queuePolicy } from '../../server/runs/queue/queue-policy.ts'
import { repeatedWritesOf } from '../../server/runs/submit/repeated-writes.ts'
import { DiskStorage } from '../../server/storage/disk.ts'
import type { TaskContext } from '../../server/tasks/catalogue/task-access.ts'
import { testReaders } from '../test-readers.ts'
import { type Answer, type BodyOfAnswer, ReceivedAnswer } from './answer.ts'
import type { Caller, CallOptions } from './caller.ts'
import { multipartEnd, multipartHeaders, partOf } from './multipart.ts'
import { silentLogUpdates } from './silent-log-updates.ts'
import { EnvironmentSteps } from './steps/environment-steps.ts'
import { TaskSteps } from './steps/task-steps.ts'
import { testFolder } from './test-storage.ts'

export const principalHeader = 'x-test-principal'
const baseUrl = 'http://test'
const accessTokenSeconds = 600
const defaults = {
  deployment: 'onprem',
  enabled: true,
  baseUrl,
  runSlots: 16,
  reservedRunSlots: undefined,
  sandboxMemoryMib: 2 ** 30,
  trustedProxies: [],
  runtimes: ['crun', 'runsc'],
  runtimeEgress: true,
  registry: undefined,
  publicRegistries: true,
  accessTokenSeconds,
} satisfies Omit<ApiParts['config'], 'dataDir'>

/** Overrides of the defaults. Without `logNews`, followers of logs and states poll. */
type TestApiOptions = Partial<
  ApiParts['config'] &
    Pick<ApiParts, 'logNews' | 'packedFolder' | 'openIdProvider'> & { diskFloorBytes: number }
>

/**
 * The API as production creates it, on a test database and a folder that is removed afterwards. Calls are made as the
 * principal that a test names, without credentials; `app` accepts real ones too.
 */
export class TestApi implements Caller {
  readonly app: FastifyInstance
  readonly dataDir = testFolder()
  /** Folder of the objects. */
  readonly folder = join(this.dataDir, 'objects')
  readonly storage = new DiskStorage(this.folder)
  readonly keys = openKeys(keysFolder(this.dataDir))
  /** The context of use cases, for tests that call them directly. */
  readonly context: EnvironmentContext & TaskContext
  readonly policy: QueuePolicy
  /** Signs the login tokens that `app` accepts. */
  readonly tokens: AccessTokens
  readonly environments = new EnvironmentSteps(this)
  readonly tasks = new TaskSteps(this)
  #aheadMs = 0

  constructor(
    db: Database,
    {
      logNews = silentLogUpdates,
      packedFolder,
      openIdProvider,
      diskFloorBytes,
      ...options
    }: TestApiOptions = {},
  ) {
    const config: ApiParts['config'] = { ...defaults, dataDir: this.dataDir, ...options }
    this.policy = queuePolicy(config.deployment, configuredCapacity(config))
    const log = createLog('test', 'silent')
    const clock = { now: () => new Date(Date.now() + this.#aheadMs) }
    const directory = new Directory(db)
    const pages = new PageTokens(this.keys.derive('page-token'))
    const { tokens: keys, deployment: issuer } = this.keys
    this.tokens = new AccessTokens({ keys, clock, issuer, lifetimeSeconds: accessTokenSeconds })
    this.context = {
      db,
      log,
      clock,
      directory,
      departments: directory,
      pages,
      pageTokens: pages,
      storage: this.storage,
      uploadCapabilityKeys: this.keys.derive('upload-capability'),
      deployment: config.deployment,
      isolations: offeredIsolations(config.runtimes),
      endWaitingBuilds,
      readLastBuilds,
      outputs: outputPolicies({ db, directory, clock, log, dataDir: this.dataDir }),
      cancelQueuedRunsOfTask,
      repeats: repeatedWritesOf(db),
    }
    this.app = createApiApp({
      db,
      log,
      clock,
      logNews,
      readers: testReaders(log),
      storage: new DiskStorage(this.folder, diskFloorBytes),
      packedFolder,
      openIdProvider,
      config,
      authenticateBy: (usual) => async (request, findKey) => {
        const principal = request.headers[principalHeader]
        return principal === undefined ? usual(request, findKey) : JSON.parse(String(principal))
      },
    })
    afterAll(() => this.app.close())
  }

  /** Moves the API's clock ahead. */
  pass(ms: number): void {
    this.#aheadMs += ms
  }

  /** Calls a route; null calls without credentials. */
  call<R extends Route>(
    route: R,
    principal: Principal | null,
    options?: CallOptions,
  ): Promise<Answer<BodyOfAnswer<R>>>
  call<Body>(route: Route, principal: Principal | null, options?: CallOptions): Promise<Answer<Body>>
  async call<Body>(
    route: Route,
    principal: Principal | null,
    options: CallOptions = {},
  ): Promise<Answer<Body>> {
    const { params = {}, query = {} } = options
    const { payload, headers } = sentBody(options)
    const response = await this.app.inject({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => params[name] ?? ''),
      query,
      headers: { ...(principal && { [principalHeader]: JSON.stringify(principal) }), ...headers },
      ...(payload !== undefined && { payload }),
    })
    return new ReceivedAnswer(response)
  }

  /** The body of a call that must succeed, as a preparation of what a test verifies. */
  must<R extends Route>(route: R, principal: Principal, options?: CallOptions): Promise<BodyOfAnswer<R>>
  must<Body>(route: Route, principal: Principal, options?: CallOptions): Promise<Body>
  async must<Body>(route: Route, principal: Principal, options: CallOptions = {}): Promise<Body> {
    const { status, body, text } = await this.call<Body>(route, principal, options)
    if (status !== 200) throw new Error(`${route.method} ${route.path}: ${status} ${text}`)
    return body
  }
}

function sentBody({ body, file, payload, headers }: CallOptions) {
  if (file) return { payload: Buffer.concat([partOf(file), multipartEnd]), headers: multipartHeaders }
  const sent = body === undefined ? payload : JSON.stringify(body)
  const isJson = typeof sent === 'string'
  return { payload: sent, headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers } }
}
