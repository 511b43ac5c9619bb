import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { newId } from '../../../base/ids.ts'
import { sha256Of } from '../../../base/sha256.ts'
import type { Database } from '../../../db/database.ts'
import { AgentClient } from '../../../executor/oci/client.ts'
import { type ResolvingAgent, startResolvingAgent } from '../../../executor/oci/network/resolving-agent.ts'
import { lendBuilder } from '../../../executor/oci/test-builder.ts'
import type { SandboxLimits, SandboxSpec } from '../../../executor/port.ts'
import { DiskStorage } from '../../../storage/disk.ts'
import { makeBuildTools } from '../../../testing/build-tools.ts'
import { tar } from '../../archive/archive-fixtures.ts'
import type { RegistrySettings } from '../../bases/registries.ts'
import { BuildFailed } from '../../build-failed.ts'
import { buildLogKey } from '../../build-log-key.ts'
import { contextValidator } from '../../steps/context-validator.ts'
import { customerBuild, removeBuildSandboxes } from '../../steps/customer-build.ts'
import type { Build, BuildFindings, BuildOrder } from '../../steps/step.ts'
import { TestRegistry } from './registry-fixture.ts'

const port = 5000

/** Leads to a public address of the test's network. */
export const registryHost = `registry.08080808.test:${port}`

export interface PullWish {
  registries?: Partial<RegistrySettings>
  companyId?: string
  limits?: Partial<SandboxLimits>
}

export interface PullOutcome {
  findings: BuildFindings
  /** `code detail`; empty when the build succeeded. */
  failure: string
  log: string
}

/** A real host agent with the real builder, on a machine whose network has a registry of the test's. */
export class PullBench {
  readonly registry: TestRegistry
  readonly folder = mkdtempSync(join(tmpdir(), 'sandbox-test-pulls-'))
  readonly storage = new DiskStorage(this.folder)
  readonly #db: Database
  readonly #made: ResolvingAgent

  readonly #own: string

  private constructor(db: Database, made: ResolvingAgent, registry: TestRegistry, own: string) {
    this.#own = own
    this.#db = db
    this.#made = made
    this.registry = registry
  }

  /** `inner` addresses lead to the registry too; `own` is the operator's registry. */
  static async start(db: Database, inner: string[], own: string = registryHost): Promise<PullBench> {
    const made = await startResolvingAgent(inner, { SANDBOX_REGISTRY: own })
    await lendBuilder(made.agent)
    const [name = ''] = registryHost.split(':')
    const names = [`DNS:${name}`, ...inner.map((address) => `IP:${address}`)]
    const registry = await TestRegistry.start(made.internet.beyond, port, names)
    return new PullBench(db, made, registry, own)
  }

  get agent() {
    return this.#made.agent
  }

  /** Short names are below `mirror/`, and no other registry is asked. */
  get registries(): RegistrySettings {
    return {
      registry: `${this.#own}/mirror`,
      registryCaFile: this.registry.authority,
      registryLoginFile: undefined,
      publicRegistries: false,
    }
  }

  /** What builds work with on this machine. */
  get tools() {
    const tools = makeBuildTools(this.#db, { storage: this.storage, executor: this.agent.client })
    return { ...tools, registries: this.registries }
  }

  /** Builds as far as the image. */
  async build(
    lines: string[],
    { registries = {}, companyId = '', limits = {} }: PullWish,
  ): Promise<PullOutcome> {
    const attemptId = newId('buildAttempt')
    const archive = tar({ name: 'Dockerfile', content: lines.join('\n') })
    await this.storage.put(attemptId, archive)
    const digest = sha256Of(archive)
    const order: Partial<BuildOrder> = {
      attemptId,
      companyId,
      versionId: newId('environmentVersion'),
      buildProfile: 'standard',
      resourceProfile: 'standard',
      isolation: 'standard',
      cache: 'none',
      context: { key: attemptId, format: 'tar', byteSize: archive.length, digest },
    }
    const executor = new LimitedAgent(join(this.agent.dataDir, 'agent.sock'), limits)
    const tools = makeBuildTools(this.#db, { storage: this.storage, executor })
    const build = {
      order,
      db: this.#db,
      findings: {},
      tools: { ...tools, registries: { ...this.registries, ...registries } },
      signal: new AbortController().signal,
    } as unknown as Build
    await contextValidator.run(build)
    const failure = await customerBuild.run(build).then(() => '', failureText)
    await removeBuildSandboxes(build)
    executor.close()
    const log = await text(await this.storage.get(buildLogKey(attemptId)))
    return { findings: build.findings, failure, log }
  }

  async dispose(): Promise<void> {
    await this.registry.dispose()
    await this.#made.dispose()
    rmSync(this.folder, { recursive: true })
  }
}

function failureText(error: unknown): string {
  if (error instanceof BuildFailed) return `${error.code} ${error.detail}`
  throw error
}

/** Gives pulls and builds the limits that a test needs. */
class LimitedAgent extends AgentClient {
  readonly #limits: Partial<SandboxLimits>

  constructor(socketPath: string, limits: Partial<SandboxLimits>) {
    super(socketPath)
    this.#limits = limits
  }

  override start(spec: SandboxSpec, ...rest: [Readable | Buffer, (readonly string[])?]): Promise<void> {
    return super.start({ ...spec, limits: { ...spec.limits, ...this.#limits } }, ...rest)
  }
}
