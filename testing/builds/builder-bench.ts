import { text } from 'node:stream/consumers'
import type { SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxNetwork, SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { ArchiveRefused } from '../../reader/formats/archive-refused.ts'
import { checkFlatImage } from '../../reader/images/flat-image.ts'
import { newId } from '../../server/base/ids.ts'
import { buildSandbox } from '../../server/builds/builder/build-sandbox.ts'
import { prepareBuilder } from '../../server/builds/builder/build-script.ts'
import { FakeInternet, machine } from '../agent/internet/fake-internet.ts'
import { onDefaultRuntime, TestAgent, tarOf } from '../agent/test-agent.ts'
import { linkBuilder } from '../agent/test-builder.ts'

const mib = 1024 ** 2

export interface BenchRun {
  exit: SandboxExit
  log: string
  /** The result of the image check; `none` if the build made no image. */
  image: string
}

export type Entries = Parameters<typeof tarOf>[0]

/** A real host agent with the real builder, which runs scripts where only a tenant's Dockerfile would run. */
export class BuilderBench {
  readonly agent: TestAgent

  readonly #network: SandboxNetwork
  readonly #internet: FakeInternet | undefined

  private constructor(agent: TestAgent, network: SandboxNetwork, internet?: FakeInternet) {
    this.agent = agent
    this.#network = network
    this.#internet = internet
  }

  static async start(): Promise<BuilderBench> {
    const agent = await TestAgent.start(onDefaultRuntime)
    await linkBuilder(agent)
    return new BuilderBench(agent, 'none')
  }

  /** With a network for builds, on the tests' own internet. */
  static async startLinked(): Promise<BuilderBench> {
    const internet = await FakeInternet.make(['169.254.169.254', '10.9.9.9'])
    try {
      const agent = await TestAgent.start(onDefaultRuntime, { prefix: internet.onMachine })
      await linkBuilder(agent)
      return new BuilderBench(agent, { egressCapBytes: 1024 ** 3, recorded: true }, internet)
    } catch (error) {
      await internet.dispose()
      throw error
    }
  }

  /** An address of the machine that servers listen on; undefined without a network. */
  get machineAddress(): string | undefined {
    return this.#internet && machine.ip4
  }

  /** Inner addresses, and the machine's, that were contacted. */
  get innerContacts(): string[] {
    const { contacts = [], machineContacts = [] } = this.#internet ?? {}
    return [...machineContacts, ...contacts.filter((contact) => /169[.]254|10[.]9/.test(contact))]
  }

  /** Runs `script` in a separate build sandbox, with the builder set up and `context` unpacked. */
  async script(script: string, context: Entries): Promise<BenchRun> {
    return await this.#run(['/bin/sh', '-c', `${prepareBuilder}\n${script}`], context)
  }

  /** Builds as the service does. */
  async build(
    context: Entries,
    bases: string[] = [],
    weakened = (spec: SandboxSpec): SandboxSpec => spec,
  ): Promise<BenchRun> {
    return await this.#run(
      weakened(buildSandbox({ id: 'x', profile: 'standard', bases, network: 'none' })).argv,
      context,
    )
  }

  async #run(argv: string[], context: Entries): Promise<BenchRun> {
    const plain = buildSandbox({ id: newId('run'), profile: 'standard', bases: [], network: this.#network })
    const spec = {
      ...plain,
      argv,
      limits: { ...plain.limits, workspaceBytes: 2048 * mib, workspaceInodes: 500_000 },
    }
    const frame = [
      { name: 'context', type: 'directory' },
      { name: 'complete', type: 'directory' },
    ] as const
    const input = await tarOf([[frame[0]], ...context, [frame[1]]])
    await this.agent.client.start(spec, inputOf(input))
    const exit = await this.agent.client.wait(spec.id)
    const log = await text(await this.agent.client.log(spec.id))
    const image = exit.files.image?.status === 'present' ? await this.#imageOf(spec.id) : 'none'
    await this.agent.client.remove(spec.id)
    return { exit, log, image }
  }

  async #imageOf(id: string): Promise<string> {
    try {
      await checkFlatImage(await this.agent.client.file(id, 'image'))
      return 'accepted'
    } catch (error) {
      if (error instanceof ArchiveRefused) return error.slug
      throw error
    }
  }

  async dispose(): Promise<void> {
    await this.agent.dispose()
    await this.#internet?.dispose()
  }
}
