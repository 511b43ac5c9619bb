import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { systemClock } from '../base/clock.ts'
import { keysFolder, openKeys } from '../base/keys.ts'
import { createLog } from '../base/logging.ts'
import { SigningKeys, signingKeysFolder } from '../base/signing-keys.ts'
import type { Database } from '../db/database.ts'
import { type ApiParts, createApiApp } from '../main/api-app.ts'
import { AccessTokens } from '../platform/access-tokens.ts'
import { hashPassword } from '../platform/passwords.ts'
import type { Principal } from '../platform/principal.ts'
import { DiskStorage } from '../storage/disk.ts'
import { RewindingDatabase } from '../testing/rewinding-database.ts'
import { silentLogNews } from '../testing/silent-log-news.ts'
import { testReaders } from '../testing/test-readers.ts'
import { type Estate, examplePassword, type Ground, makeEstate } from './estate.ts'
import { type Headers, type Request, send } from './send.ts'

/**
 * The whole API as production builds it, over two companies that own the same things. Requests are made inside
 * `rewind`, so that each meets the world as it was made.
 */
export class World {
  readonly app: FastifyInstance
  readonly storage: DiskStorage
  readonly own: Estate
  readonly foreign: Estate
  /** Credentials by the name of who calls. */
  readonly callers: Record<Caller, Headers>
  readonly database: RewindingDatabase
  readonly #stage: Stage

  private constructor(stage: Stage, made: Pick<World, 'own' | 'foreign' | 'callers'>) {
    this.#stage = stage
    this.app = stage.app
    this.storage = stage.storage
    this.database = stage.database
    this.own = made.own
    this.foreign = made.foreign
    this.callers = made.callers
  }

  static async make(url: string): Promise<World> {
    const stage = await Stage.open(url)
    const own = await makeEstate(stage.ground)
    const foreign = await makeEstate(stage.ground)
    return new World(stage, { own, foreign, callers: await credentials(stage, own, foreign) })
  }

  rewind<T>(work: () => Promise<T>): Promise<T> {
    return this.database.rewind(work)
  }

  send(caller: Caller | Headers, route: Route, request: Request = {}): Promise<LightMyRequestResponse> {
    const headers = typeof caller === 'string' ? this.callers[caller] : caller
    return send(this.app, headers, route, request)
  }

  /** The same call to an app that is configured in another way. */
  sendTo(differences: Differences, caller: Caller, route: Route, request: Request = {}) {
    return send(this.#stage.appWith(differences), this.callers[caller], route, request)
  }

  signIn(person: Principal): Promise<Headers> {
    return this.#stage.signIn(person)
  }

  async close(): Promise<void> {
    await this.#stage.close()
  }
}

export const callers = [
  'nobody',
  'member',
  'outsider',
  'otherManager',
  'manager',
  'companyManager',
  'administrator',
  'otherCompany',
  'fullKey',
  'sandboxKeyInside',
  'sandboxKeyOutside',
] as const
export type Caller = (typeof callers)[number]

/** How another app over the same world differs. */
export type Differences = Partial<ApiParts['config']> & { db?: Database }

interface StageParts {
  database: RewindingDatabase
  folder: string
  passwordHash: string
}

/** The pieces that worlds are made with. */
class Stage {
  readonly database: RewindingDatabase
  readonly app: FastifyInstance
  readonly storage: DiskStorage
  readonly config: ApiParts['config']
  readonly #folder: string
  readonly #passwordHash: string
  readonly #tokens: AccessTokens

  private constructor({ database, folder, passwordHash }: StageParts) {
    const baseUrl = 'http://sandbox.test'
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
      accessTokenSeconds,
    }
    this.database = database
    this.#folder = folder
    this.#passwordHash = passwordHash
    this.app = this.appWith({})
    this.storage = new DiskStorage(join(folder, 'objects'))
    this.#tokens = new AccessTokens({
      keys: openKeys(keysFolder(folder)).tokens,
      clock: systemClock,
      issuer: baseUrl,
      lifetimeSeconds: accessTokenSeconds,
    })
  }

  static async open(url: string): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-world-'))
    const passwordHash = await hashPassword(examplePassword)
    return new Stage({ database: await RewindingDatabase.open(url), folder, passwordHash })
  }

  appWith({ db = this.database.db, ...config }: Differences): FastifyInstance {
    const log = createLog('test', 'silent')
    return createApiApp({
      db,
      logNews: silentLogNews,
      log,
      clock: systemClock,
      readers: testReaders(log),
      config: { ...this.config, ...config },
    })
  }

  get ground(): Ground {
    const must = async (as: Principal, route: Route, request: Request) => {
      const answer = await send(this.app, await this.signIn(as), route, request)
      if (answer.statusCode !== 200) throw new Error(`${route.method} ${route.path}: ${answer.body}`)
      return answer.json() as Record<string, unknown>
    }
    const signing = new SigningKeys(signingKeysFolder(this.#folder))
    return { db: this.database.db, storage: this.storage, signing, passwordHash: this.#passwordHash, must }
  }

  async signIn({ principalId: userId, companyId }: Principal): Promise<Headers> {
    return { authorization: `Bearer ${await this.#tokens.sign({ userId, companyId, generation: 1 })}` }
  }

  async close(): Promise<void> {
    await this.app.close()
    await this.database.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function credentials(stage: Stage, own: Estate, foreign: Estate): Promise<Record<Caller, Headers>> {
  const { people } = own
  const key = async (name: string, scope: string, owner: Principal, rooms: string[] = []) => {
    const owned = { owner_user_id: owner.principalId, allowed_chatroom_ids: rooms }
    const body = { name, scope, ...owned }
    const made = await stage.ground.must(people.administrator, allRoutes.createApiKey, { body })
    return { 'x-api-key': String(made.api_key) }
  }
  return {
    nobody: {},
    member: await stage.signIn(people.member),
    outsider: await stage.signIn(people.outsider),
    otherManager: await stage.signIn(people.otherManager),
    manager: await stage.signIn(people.manager),
    companyManager: await stage.signIn(people.companyManager),
    administrator: await stage.signIn(people.administrator),
    otherCompany: await stage.signIn(foreign.people.administrator),
    fullKey: await key('full', 'full', people.member),
    sandboxKeyInside: await key('inside', 'sandbox', people.member, [own.ids.room]),
    sandboxKeyOutside: await key('outside', 'sandbox', people.outsider, [own.otherRoom]),
  }
}
