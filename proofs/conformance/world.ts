import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { AccessTokens } from '../../server/access/login/access-tokens.ts'
import { hashPassword } from '../../server/access/login/passwords.ts'
import type { Principal } from '../../server/access/principal.ts'
import { openIdProviderOf } from '../../server/access/sign-ins/openid-provider.ts'
import { systemClock } from '../../server/base/clock.ts'
import { keysFolder, openKeys } from '../../server/base/keys/keys.ts'
import { SigningKeys, signingKeysFolder } from '../../server/base/keys/signing-keys.ts'
import { createLog } from '../../server/base/logging.ts'
import type { Database } from '../../server/db/database.ts'
import { type ApiParts, createApiApp } from '../../server/main/api/api-app.ts'
import { LocalKeys, secretKeysFolder } from '../../server/secrets/keys/local-keys.ts'
import { DiskStorage } from '../../server/storage/disk.ts'
import { silentLogUpdates } from '../../testing/apps/silent-log-updates.ts'
import { RewindingDatabase } from '../../testing/database/rewinding-database.ts'
import { testReaders } from '../../testing/test-readers.ts'
import { examplePassword, makeSeed, type Seed } from './seed/seed.ts'
import type { SeedTools } from './seed/seed-tools.ts'
import { type Headers, type Request, send } from './send.ts'

/** No request of these suites reaches the provider. */
const providerSettings = {
  jwtIssuer: 'https://provider.test',
  jwtLoginClaim: 'sub',
  oidcClientId: 'console',
  oidcClientSecretFile: undefined,
  oidcName: 'Example Login',
}

/**
 * The whole API as in production, with two companies that have the same seed. Requests are sent inside
 * `rewind`, so that each runs against the initial world.
 */
export class World {
  readonly app: FastifyInstance
  readonly storage: DiskStorage
  readonly own: Seed
  readonly foreign: Seed
  /** Credentials by caller. */
  readonly callers: Record<Caller, Headers>
  readonly database: RewindingDatabase
  readonly #setup: WorldSetup

  private constructor(setup: WorldSetup, made: Pick<World, 'own' | 'foreign' | 'callers'>) {
    this.#setup = setup
    this.app = setup.app
    this.storage = setup.storage
    this.database = setup.database
    this.own = made.own
    this.foreign = made.foreign
    this.callers = made.callers
  }

  static async make(url: string): Promise<World> {
    const setup = await WorldSetup.open(url)
    const own = await makeSeed(setup.seedTools)
    const foreign = await makeSeed(setup.seedTools)
    return new World(setup, { own, foreign, callers: await credentials(setup, own, foreign) })
  }

  /** Where the app keeps its keys and bytes. */
  get folder(): string {
    return this.#setup.config.dataDir
  }

  rewind<T>(work: () => Promise<T>): Promise<T> {
    return this.database.rewind(work)
  }

  send(caller: Caller | Headers, route: Route, request: Request = {}): Promise<LightMyRequestResponse> {
    const headers = typeof caller === 'string' ? this.callers[caller] : caller
    return send(this.app, headers, route, request)
  }

  /** Sends a request to an app with another configuration. */
  sendWith(overrides: ConfigOverrides, caller: Caller, route: Route, request: Request = {}) {
    return send(this.#setup.sharedApp(overrides), this.callers[caller], route, request)
  }

  signIn(person: Principal): Promise<Headers> {
    return this.#setup.signIn(person)
  }

  async close(): Promise<void> {
    await this.#setup.close()
  }
}

export const callers = [
  'nobody',
  'member',
  'roomManager',
  'outsider',
  'otherManager',
  'manager',
  'companyManager',
  'administrator',
  'auditor',
  'otherCompany',
  'fullKey',
  'sandboxKeyInside',
  'sandboxKeyOutside',
] as const
export type Caller = (typeof callers)[number]

/** Configuration of another app over the same world. */
export type ConfigOverrides = Partial<ApiParts['config']> & { db?: Database; diskFloorBytes?: number }

interface StageParts {
  database: RewindingDatabase
  folder: string
  passwordHash: string
}

/** Database, storage, app and tokens of a world. */
class WorldSetup {
  readonly database: RewindingDatabase
  readonly app: FastifyInstance
  readonly storage: DiskStorage
  readonly config: ApiParts['config']
  readonly #folder: string
  readonly #passwordHash: string
  readonly #tokens: AccessTokens
  /** By configuration. */
  readonly #apps = new Map<string, FastifyInstance>()

  private constructor({ database, folder, passwordHash }: StageParts) {
    const baseUrl = 'https://sandbox.test'
    const accessTokenSeconds = 3600
    this.config = {
      dataDir: folder,
      deployment: 'onprem',
      enabled: true,
      baseUrl,
      runSlots: 16,
      trustedProxies: [],
      reservedRunSlots: undefined,
      sandboxMemoryMib: 2 ** 20,
      runtimes: ['crun'],
      runtimeEgress: true,
      registry: undefined,
      publicRegistries: true,
      accessTokenSeconds,
    }
    this.database = database
    this.#folder = folder
    this.#passwordHash = passwordHash
    // As the worker does when it starts.
    new LocalKeys(secretKeysFolder(folder)).prepare()
    this.app = this.appWith({})
    this.storage = new DiskStorage(join(folder, 'objects'))
    const keys = openKeys(keysFolder(folder))
    this.#tokens = new AccessTokens({
      keys: keys.tokens,
      clock: systemClock,
      issuer: keys.deployment,
      lifetimeSeconds: accessTokenSeconds,
    })
  }

  static async open(url: string): Promise<WorldSetup> {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-world-'))
    const passwordHash = await hashPassword(examplePassword)
    return new WorldSetup({ database: await RewindingDatabase.open(url), folder, passwordHash })
  }

  /** One app for all requests with the same configuration: its routes take ten times as long to register as a request. */
  sharedApp({ db, ...config }: ConfigOverrides): FastifyInstance {
    if (db) return this.appWith({ db, ...config })
    const name = JSON.stringify(config)
    const app = this.#apps.get(name) ?? this.appWith(config)
    this.#apps.set(name, app)
    return app
  }

  appWith({ db = this.database.db, diskFloorBytes, ...overrides }: ConfigOverrides): FastifyInstance {
    const log = createLog('test', 'silent')
    const config = { ...this.config, ...overrides }
    return createApiApp({
      db,
      logNews: silentLogUpdates,
      log,
      clock: systemClock,
      readers: testReaders(log),
      storage: new DiskStorage(join(config.dataDir, 'objects'), diskFloorBytes),
      openIdProvider: openIdProviderOf({ ...config, ...providerSettings }, { clock: systemClock }),
      config,
    })
  }

  get seedTools(): SeedTools {
    const sendOk = async (as: Principal, route: Route, request: Request) => {
      const answer = await send(this.app, await this.signIn(as), route, request)
      if (answer.statusCode !== 200) throw new Error(`${route.method} ${route.path}: ${answer.body}`)
      return answer.json() as Record<string, unknown>
    }
    const signing = new SigningKeys(signingKeysFolder(this.#folder))
    return { db: this.database.db, storage: this.storage, signing, passwordHash: this.#passwordHash, sendOk }
  }

  async signIn({ principalId: userId, companyId }: Principal): Promise<Headers> {
    return { authorization: `Bearer ${await this.#tokens.sign({ userId, companyId, generation: 1 })}` }
  }

  async close(): Promise<void> {
    await Promise.all([this.app, ...this.#apps.values()].map((app) => app.close()))
    await this.database.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function credentials(setup: WorldSetup, own: Seed, foreign: Seed): Promise<Record<Caller, Headers>> {
  const { people } = own
  const key = async (name: string, scope: string, owner: Principal, rooms: string[] = []) => {
    const owned = { owner_user_id: owner.principalId, allowed_chatroom_ids: rooms }
    const body = { name, scope, ...owned }
    const made = await setup.seedTools.sendOk(people.administrator, allRoutes.createApiKey, { body })
    return { 'x-api-key': String(made.api_key) }
  }
  return {
    nobody: {},
    member: await setup.signIn(people.member),
    roomManager: await setup.signIn(people.roomManager),
    outsider: await setup.signIn(people.outsider),
    otherManager: await setup.signIn(people.otherManager),
    manager: await setup.signIn(people.manager),
    companyManager: await setup.signIn(people.companyManager),
    administrator: await setup.signIn(people.administrator),
    auditor: await setup.signIn(people.auditor),
    otherCompany: await setup.signIn(foreign.people.administrator),
    fullKey: await key('full', 'full', people.member),
    sandboxKeyInside: await key('inside', 'sandbox', people.member, [own.ids.room]),
    sandboxKeyOutside: await key('outside', 'sandbox', people.outsider, [own.otherRoom]),
  }
}
