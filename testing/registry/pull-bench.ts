import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { AgentClient } from '../../agent/client/agent-client.ts'
import type { SandboxLimits, SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { StartInput } from '../../agent/port/start-input.ts'
import { type TarFields, tar } from '../../reader/formats/archive-fixtures.ts'
import { type Clock, systemClock } from '../../server/base/clock.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { type BuildOutputs, imageSteps } from '../../server/builds/chain/build-chain.ts'
import { buildLogKey } from '../../server/builds/logs/build-log-store.ts'
import type { BuildNetworkSettings } from '../../server/builds/network/build-network.ts'
import type { Build } from '../../server/builds/request/build.ts'
import { BuildFailed } from '../../server/builds/request/build-failed.ts'
import type { BuildRequest } from '../../server/builds/request/build-request.ts'
import { removeBuildSandboxes } from '../../server/builds/sandboxes/build-sandboxes.ts'
import type { Database } from '../../server/db/database.ts'
import type { RegistrySettings } from '../../server/images/registries.ts'
import { DiskStorage } from '../../server/storage/disk.ts'
import { type ResolvingAgent, startResolvingAgent } from '../agent/internet/resolving-agent.ts'
import { linkBuilder, trustInBuilder } from '../agent/test-builder.ts'
import { makeBuildTools, makeSigningKeys } from '../build-tools.ts'
import { makeBuildAttempt } from '../factories/build-attempt.ts'
import { makeTenant, type Tenant } from '../factories/tenant.ts'
import { noBuildNetwork } from '../no-build-network.ts'
import { TestRegistry } from './registry-fixture.ts'

const port = 5000

/** Resolves to a public address of the test's network. */
export const registryHost = `registry.08080808.test:${port}`

export interface PullOptions {
  registries?: Partial<RegistrySettings>
  /** Of the build's steps; default none. */
  network?: BuildNetworkSettings
  /** Default: the one company of the bench. */
  companyId?: string
  /** Further files of the context. */
  files?: TarFields[]
  limits?: Partial<SandboxLimits>
  clock?: Clock
}

export interface PullOutcome {
  /** Outputs of the steps that completed. */
  outputs: Partial<BuildOutputs>
  /** `code detail`; empty when the build succeeded. */
  failure: string
  log: string
  versionId: string
}

/** A real host agent with the real builder, on a machine whose network has a test registry. */
export class PullBench {
  readonly registry: TestRegistry
  readonly folder = mkdtempSync(join(tmpdir(), 'sandbox-test-pulls-'))
  readonly storage = new DiskStorage(this.folder)
  readonly #db: Database
  readonly #made: ResolvingAgent

  readonly #own: string
  /** One for all builds, so that they find the base layers of each other. */
  readonly #signing = makeSigningKeys()
  #tenant: Promise<Tenant> | undefined

  private constructor(db: Database, made: ResolvingAgent, registry: TestRegistry, own: string) {
    this.#own = own
    this.#db = db
    this.#made = made
    this.registry = registry
  }

  /**
   * `inner` addresses lead to the registry too; `own` is the operator's registry. Hosts of `publicNames`, at their addresses,
   * are the same registry over the usual port, with a certificate that the builder trusts.
   */
  static async start(
    db: Database,
    inner: string[],
    { own = registryHost, publicNames = {} }: { own?: string; publicNames?: Record<string, string> } = {},
  ): Promise<PullBench> {
    const made = await startResolvingAgent(inner, { SANDBOX_REGISTRY: own }, publicNames)
    try {
      return new PullBench(db, made, await startRegistry(made, inner, publicNames), own)
    } catch (error) {
      // Processes that are left would keep the test process alive.
      await made.dispose()
      throw error
    }
  }

  get internet() {
    return this.#made.internet
  }

  get agent() {
    return this.#made.agent
  }

  /** Short names resolve below `mirror/`, and no other registry is queried. */
  get registries(): RegistrySettings {
    return {
      registry: `${this.#own}/mirror`,
      registryCaFile: this.registry.authority,
      registryLoginFile: undefined,
      registryIsMirror: false,
      publicRegistries: false,
    }
  }

  /** The dependencies of builds on this machine. */
  get tools() {
    const tools = makeBuildTools(this.#db, { storage: this.storage, executor: this.agent.client })
    return { ...tools, signing: this.#signing, registries: this.registries }
  }

  /** Builds up to and including the image. */
  async build(
    lines: string[],
    {
      registries = {},
      network = noBuildNetwork,
      files = [],
      limits = {},
      clock = systemClock,
      ...options
    }: PullOptions,
  ): Promise<PullOutcome> {
    this.#tenant ??= makeTenant(this.#db)
    const companyId = options.companyId ?? (await this.#tenant).companyId
    const { id: attemptId, versionId } = await makeBuildAttempt(this.#db, { companyId })
    const archive = tar({ name: 'Dockerfile', content: lines.join('\n') }, ...files)
    await this.storage.put(attemptId, archive)
    const digest = sha256Of(archive)
    const request: Partial<BuildRequest> = {
      attemptId,
      companyId,
      versionId,
      startedAt: new Date(),
      buildProfile: 'standard',
      resourceProfile: 'standard',
      isolation: 'standard',
      cache: 'none',
      context: { key: attemptId, format: 'tar', byteSize: archive.length, digest, uploadedAt: new Date() },
    }
    const executor = new LimitedAgent(join(this.agent.dataDir, 'agent.sock'), limits)
    const tools = makeBuildTools(this.#db, { storage: this.storage, executor })
    const build = {
      request,
      db: this.#db,
      tools: {
        ...tools,
        clock,
        signing: this.#signing,
        network,
        registries: { ...this.registries, ...registries },
      },
      write: () => undefined,
      signal: new AbortController().signal,
    } as unknown as Build
    const outputs: Partial<BuildOutputs> = {}
    const steps = imageSteps.run({}, async (step, values) => {
      const made = await step.run(build, values)
      Object.assign(outputs, made)
      return made
    })
    const failure = await steps.then(() => '', failureText)
    await removeBuildSandboxes(build)
    executor.close()
    const log = await text(await this.storage.get(buildLogKey(attemptId)).catch(() => Readable.from([])))
    return { outputs, failure, log, versionId }
  }

  async dispose(): Promise<void> {
    await this.registry.dispose()
    await this.#made.dispose()
    rmSync(this.folder, { recursive: true })
  }
}

async function startRegistry(
  { agent, internet }: ResolvingAgent,
  inner: string[],
  publicNames: Record<string, string>,
): Promise<TestRegistry> {
  await linkBuilder(agent)
  const [name = ''] = registryHost.split(':')
  const names = [name, ...Object.keys(publicNames)].map((host) => `DNS:${host}`)
  const addresses = inner.map((address) => `IP:${address}`)
  const registry = await TestRegistry.start(internet.beyond, port, [...names, ...addresses])
  if (Object.keys(publicNames).length === 0) return registry
  try {
    await internet.serveHttps(Object.values(publicNames), port)
    await trustInBuilder(agent, registry.authority)
    return registry
  } catch (error) {
    await registry.dispose()
    throw error
  }
}

function failureText(error: unknown): string {
  if (error instanceof BuildFailed) return `${error.code} ${error.detail}`
  throw error
}

/** Overrides the limits of pulls and builds. */
class LimitedAgent extends AgentClient {
  readonly #limits: Partial<SandboxLimits>

  constructor(socketPath: string, limits: Partial<SandboxLimits>) {
    super(socketPath)
    this.#limits = limits
  }

  override start(spec: SandboxSpec, input: StartInput): Promise<void> {
    return super.start({ ...spec, limits: { ...spec.limits, ...this.#limits } }, input)
  }
}
