import { text } from 'node:stream/consumers'
import { newId } from '../../base/ids.ts'
import { TestAgent, tarOf } from '../../executor/oci/test-agent.ts'
import { lendBuilder } from '../../executor/oci/test-builder.ts'
import type { SandboxExit, SandboxSpec } from '../../executor/port.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { checkFlatImage } from '../archive/flat-image.ts'
import { buildSandbox } from '../build-sandbox.ts'
import { prepareBuilder } from '../build-script.ts'

const mib = 1024 ** 2

export interface BenchRun {
  exit: SandboxExit
  log: string
  /** What the check of built images says of what came out; `none` when nothing did. */
  image: string
}

export type Entries = Parameters<typeof tarOf>[0]

/** A real host agent with the real builder, to run scripts where only a tenant's Dockerfile would run. */
export class BuilderBench {
  readonly agent: TestAgent

  private constructor(agent: TestAgent) {
    this.agent = agent
  }

  static async start(): Promise<BuilderBench> {
    const agent = await TestAgent.start()
    await lendBuilder(agent)
    return new BuilderBench(agent)
  }

  /** Runs `script` in a build sandbox of its own, with the builder set up and `context` unpacked. */
  async script(script: string, context: Entries): Promise<BenchRun> {
    return await this.#run(['/bin/sh', '-c', `${prepareBuilder}\n${script}`], context)
  }

  /** Builds as the service does. */
  async build(
    context: Entries,
    bases: string[] = [],
    weakened = (spec: SandboxSpec): SandboxSpec => spec,
  ): Promise<BenchRun> {
    return await this.#run(weakened(buildSandbox({ id: 'x', profile: 'standard', bases })).argv, context)
  }

  async #run(argv: string[], context: Entries): Promise<BenchRun> {
    const plain = buildSandbox({ id: newId('run'), profile: 'standard', bases: [] })
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
    await this.agent.client.start(spec, input)
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

  dispose(): Promise<void> {
    return this.agent.dispose()
  }
}
