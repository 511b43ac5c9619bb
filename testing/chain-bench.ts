import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Executor } from '../agent/port/executor.ts'
import { buildSlots } from '../server/builds/attempts/build-limits.ts'
import { queueBuild } from '../server/builds/attempts/build-service.ts'
import { claimNextAttempt } from '../server/builds/attempts/claims/claim-attempt-store.ts'
import { runBuild } from '../server/builds/chain/run-build.ts'
import { buildLogKey } from '../server/builds/logs/build-log-store.ts'
import type { BuildTools } from '../server/builds/request/build.ts'
import type { Database } from '../server/db/database.ts'
import { readSignedImage } from '../server/images/provenance/verify-stored.ts'
import { onDefaultRuntime, TestAgent } from './agent/test-agent.ts'
import { linkBuilder } from './agent/test-builder.ts'
import { TestApi } from './apps/test-api.ts'
import { makeBuildTools } from './build-tools.ts'
import type { Tenant } from './factories/tenant.ts'

export interface ChainBuildOptions {
  owner: Tenant
  environment: string
  cache?: 'none' | 'images'
  profile?: 'standard' | 'fast'
}

type EndedBuild = Awaited<ReturnType<ChainBench['runQueuedAttempt']>>

/** All steps of a build, from an upload to a version that is ready or not, on any executor. */
export class ChainBench {
  readonly tools: BuildTools
  readonly #db: Database
  readonly #api: TestApi
  readonly #uploads = new Map<string, string>()

  constructor(db: Database, executor: Executor) {
    this.#db = db
    this.#api = new TestApi(db)
    this.tools = makeBuildTools(db, { storage: this.storage, executor })
  }

  get context() {
    return this.#api.context
  }

  get storage() {
    return this.#api.context.storage
  }

  /** Folder of the objects. */
  get folder(): string {
    return this.#api.folder
  }

  async environment(owner: Tenant, name?: string): Promise<string> {
    return (await this.#api.environments.create(owner.companyManager, name === undefined ? {} : { name })).id
  }

  /** A version of that archive, after its first build has ended. */
  async build(
    archive: Buffer,
    { owner, environment, cache = 'images', profile = 'standard' }: ChainBuildOptions,
    by: Partial<BuildTools> = {},
  ) {
    const { id: versionId } = await this.#api.environments.version(owner.companyManager, environment, {
      source_digest: undefined,
      owned_object_id: await this.#uploaded(owner, environment, archive),
    })
    await this.#db
      .updateTable('environment_versions')
      .set({ build_cache: cache })
      .where('id', '=', versionId)
      .execute()
    const path = { environmentId: environment, versionId }
    await queueBuild(this.context, owner.companyManager, path, { build_profile: profile })
    return { path, ...(await this.runQueuedAttempt(by)) }
  }

  /** Runs the one queued attempt to its end; the result says whether a builder ran for it. */
  async runQueuedAttempt(by: Partial<BuildTools> = {}) {
    const attempt = await claimNextAttempt(this.#db, {
      worker: 'w',
      leaseMs: 60_000,
      share: buildSlots({ slots: 64 }),
    })
    if (!attempt) throw new Error('no attempt is queued')
    await runBuild(this.#db, { ...this.tools, ...by }, attempt, new AbortController().signal)
    const row = await this.#db
      .selectFrom('build_attempts as a')
      .innerJoin('environment_versions as v', (join) => join.onRef('v.id', '=', 'a.environment_version_id'))
      .select(['a.state', 'a.error_code', 'a.error_detail', 'v.id', 'v.state as version_state'])
      .select(['v.promoted_digest', 'v.layer_digest', 'v.security_state'])
      .where('a.id', '=', attempt.id)
      .executeTakeFirstOrThrow()
    const log = await text(await this.storage.get(buildLogKey(attempt.id)))
    return { attemptId: attempt.id, ...row, log, isBuilt: log.startsWith('buildah version') }
  }

  /** The signed statement about a version that is ready. */
  async statementOf({ id, promoted_digest, layer_digest }: EndedBuild) {
    const recorded = { id, promotedDigest: promoted_digest ?? '', layerDigest: layer_digest ?? '' }
    const { statement, provenanceDigest } = await readSignedImage(this.tools, recorded)
    return { ...statement.predicate, subject: statement.subject[0], provenanceDigest }
  }

  /** A company may upload five times a minute; here the uploads are backdated by an hour. */
  async #uploaded(owner: Tenant, environment: string, archive: Buffer): Promise<string> {
    const key = `${environment} ${archive.toString('latin1')}`
    const known = this.#uploads.get(key)
    if (known !== undefined) return known
    const { owned_object_id } = await this.#api.environments.upload(
      owner.companyManager,
      environment,
      gzipSync(archive),
    )
    this.#uploads.set(key, owned_object_id)
    await sql`
      update upload_sessions set created_at = created_at - interval '1 hour' where company_id = ${owner.companyId}
    `.execute(this.#db)
    await sql`
      update staging_leases set created_at = created_at - interval '1 hour' where company_id = ${owner.companyId}
    `.execute(this.#db)
    return owned_object_id
  }
}

/** The same on a real host agent with the real builder. */
export class RealChainBench extends ChainBench {
  readonly agent: TestAgent

  private constructor(db: Database, agent: TestAgent) {
    super(db, agent.client)
    this.agent = agent
  }

  /** `started`: another agent than one of its own network; the bench disposes of it. */
  static async start(db: Database, started?: TestAgent): Promise<RealChainBench> {
    const agent = started ?? (await TestAgent.start(onDefaultRuntime))
    await linkBuilder(agent)
    return new RealChainBench(db, agent)
  }

  dispose(): Promise<void> {
    return this.agent.dispose()
  }
}

/** A real object with some of its methods replaced. */
export const changed = <T extends object>(real: T, calls: Partial<T>): T =>
  new Proxy(real, {
    get(_target, name) {
      const own = Reflect.get(name in calls ? calls : real, name) as unknown
      return typeof own === 'function' ? (own.bind(real) as unknown) : own
    },
  })
