import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { claimNextAttempt } from '../builds/attempt-store.ts'
import { buildLogKey } from '../builds/build-log-key.ts'
import { queueBuild } from '../builds/build-service.ts'
import { buildSlots } from '../builds/build-slots.ts'
import { readSignedImage } from '../builds/provenance/verify-stored.ts'
import { runBuild } from '../builds/run-build.ts'
import type { BuildTools } from '../builds/steps/step.ts'
import type { Database } from '../db/database.ts'
import { TestAgent } from '../executor/oci/test-agent.ts'
import { makeBuildTools } from './build-tools.ts'
import { EnvironmentHarness } from './environment-harness.ts'
import type { Tenant } from './factories/tenant.ts'

const run = promisify(execFile)
/** Made by install/test-builder.sh, and only ever read. */
const kept = '/var/lib/sandbox-jobs-test/agent'

export interface BuildWish {
  owner: Tenant
  environment: string
  cache?: 'none' | 'images'
  profile?: 'standard' | 'fast'
}

type EndedBuild = Awaited<ReturnType<ChainBench['carryOn']>>

/** The whole chain, from an upload to a version that is ready or not, on a real host agent with the real builder. */
export class ChainBench {
  readonly agent: TestAgent
  readonly tools: BuildTools
  readonly #db: Database
  readonly #harness: EnvironmentHarness
  readonly #uploads = new Map<string, string>()

  private constructor(db: Database, agent: TestAgent) {
    this.#db = db
    this.#harness = new EnvironmentHarness(db)
    this.agent = agent
    this.tools = makeBuildTools(db, { storage: this.storage, executor: agent.client })
  }

  static async start(db: Database): Promise<ChainBench> {
    const agent = await TestAgent.start()
    const trees = [join(kept, 'builder'), join(kept, 'base-images')]
    await run('cp', ['--archive', '--link', ...trees, join(agent.dataDir, 'agent')])
    return new ChainBench(db, agent)
  }

  get context() {
    return this.#harness.context
  }

  get storage() {
    return this.#harness.context.storage
  }

  /** Where objects are. */
  get folder(): string {
    return this.#harness.folder
  }

  async environment(owner: Tenant, name?: string): Promise<string> {
    return (await this.#harness.environment(owner.companyManager, name === undefined ? {} : { name })).id
  }

  /** A version of that archive, and its first build carried to its end. */
  async build(
    archive: Buffer,
    { owner, environment, cache = 'images', profile = 'standard' }: BuildWish,
    by: Partial<BuildTools> = {},
  ) {
    const { id: versionId } = await this.#harness.version(owner.companyManager, environment, {
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
    return { path, ...(await this.carryOn(by)) }
  }

  /** Carries the one queued attempt to its end, and tells whether a builder ran for it. */
  async carryOn(by: Partial<BuildTools> = {}) {
    const attempt = await claimNextAttempt(this.#db, {
      worker: 'w',
      leaseMs: 60_000,
      share: buildSlots({ slots: 64 }),
    })
    if (!attempt) throw new Error('nothing is queued')
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

  /** What was signed about a version that is ready. */
  async statementOf({ id, promoted_digest, layer_digest }: EndedBuild) {
    const recorded = { id, promotedDigest: promoted_digest ?? '', layerDigest: layer_digest ?? '' }
    const { statement, provenanceDigest } = await readSignedImage(this.tools, recorded)
    return { ...statement.predicate, subject: statement.subject[0], provenanceDigest }
  }

  /** A company may upload five times a minute; here it did so an hour ago. */
  async #uploaded(owner: Tenant, environment: string, archive: Buffer): Promise<string> {
    const key = `${environment} ${archive.toString('latin1')}`
    const known = this.#uploads.get(key)
    if (known !== undefined) return known
    const { owned_object_id } = await this.#harness.upload(
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

  dispose(): Promise<void> {
    return this.agent.dispose()
  }
}

/** The real thing with some of its calls replaced. */
export const changed = <T extends object>(real: T, calls: Partial<T>): T =>
  new Proxy(real, {
    get(_target, name) {
      const own = Reflect.get(name in calls ? calls : real, name) as unknown
      return typeof own === 'function' ? (own.bind(real) as unknown) : own
    },
  })
