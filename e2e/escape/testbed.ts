import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { SandboxRuntime } from '../../agent/port/sandbox-spec.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { FakeInternet } from '../../testing/agent/internet/fake-internet.ts'
import { compiledProbe } from '../../testing/agent/probe/attempts.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { linkBuilder } from '../../testing/agent/test-builder.ts'
import { Canaries } from './canaries.ts'

export const neighbourKey = 0x5b1
/** The operator's registry, at an internal address. */
export const registry = { address: '172.20.0.5', port: 443 }
/** More input than a start waits for: the program starts before its input has ended. */
const beyondBufferedBytes = 256 * 1024

/** A host agent on a separate network, a neighbour sandbox that runs during every attempt, and the canaries. */
export class Testbed {
  readonly runtime: SandboxRuntime
  readonly agent: TestAgent
  readonly internet: FakeInternet
  readonly canaries: Canaries
  /** Holds the probe at /usr/bin/probe. */
  image = ''
  /** Host pid of the neighbour's last process. */
  neighbourPid = 0
  /** The first of the neighbour's ids on the host. */
  neighbourIdBase = 0
  readonly #neighbourInput = new Readable({ read: () => undefined })
  #neighbour = ''
  #started: Promise<void> | undefined

  private constructor(parts: Pick<Testbed, 'runtime' | 'agent' | 'internet' | 'canaries'>) {
    this.runtime = parts.runtime
    this.agent = parts.agent
    this.internet = parts.internet
    this.canaries = parts.canaries
  }

  /** `program`: another agent than that of this tree. */
  static async create(runtime: SandboxRuntime, program?: string): Promise<Testbed> {
    const canaries = await Canaries.plant()
    const internet = await FakeInternet.make([
      '169.254.169.254',
      '10.9.9.9',
      'fd00:ec2::254',
      registry.address,
    ])
    const agent = await TestAgent.start(
      {
        SANDBOX_RUNTIME_EGRESS: 'true',
        SANDBOX_REGISTRY: `${registry.address}:${registry.port}`,
        // Builds and the unpacking of images too are on the runtime, where it can.
        SANDBOX_RUNTIME: runtime === 'runsc' ? 'crun' : runtime,
      },
      { prefix: internet.onMachine, ...(program && { program }) },
    )
    const testbed = new Testbed({ runtime, agent, internet, canaries })
    try {
      await linkBuilder(agent)
      testbed.image = await agent.image([
        [{ name: 'usr/bin/probe', mode: 0o755 }, await compiledProbe('probe')],
        [{ name: 'usr/bin/holds', mode: 0o755 }, await compiledProbe('holds')],
      ])
      await testbed.#startNeighbour()
    } catch (error) {
      await testbed.#takeDown()
      throw error
    }
    return testbed
  }

  /** Starts to watch the canaries. Call after all images are installed. */
  watch(): Promise<void> {
    const trees = ['agent/images', 'agent/platform', 'agent/platform-network', 'agent/native']
    return this.canaries.watch(trees.map((name) => join(this.agent.dataDir, name)))
  }

  /** Ends the neighbour, verifies every canary, and removes the testbed. */
  async close(): Promise<string[]> {
    await this.#endNeighbour()
    const found = await this.canaries.verify()
    for (const contact of this.internet.machineContacts) found.push(`the machine was reached: ${contact}`)
    for (const contact of this.internet.contacts) {
      if (/169[.]254|10[.]9|fd00/.test(contact)) found.push(`an inner address was reached: ${contact}`)
    }
    const left = (await this.agent.client.list()).filter(({ state }) => state === 'running')
    if (left.length > 0) found.push('a sandbox is still running')
    await this.#takeDown()
    return found
  }

  async #takeDown(): Promise<void> {
    await this.agent.dispose()
    await this.internet.dispose()
    await this.canaries.close()
  }

  async #startNeighbour(): Promise<void> {
    const { secret } = this.canaries
    const spec = {
      ...shellJob(this.image, '', { timeoutMs: 3_600_000, runtime: this.runtime }),
      argv: ['/usr/bin/probe', 'neighbour', String(neighbourKey), secret],
    }
    this.#neighbour = spec.id
    this.#neighbourInput.push(' '.repeat(beyondBufferedBytes))
    // The start resolves only when the input has ended.
    this.#started = this.agent.client.start(spec, inputOf(this.#neighbourInput))
    await Promise.race([this.agent.running(spec.id), this.#started])
    await waitUntil(async () => (await text(await this.agent.client.log(spec.id))).includes('ready'))
    this.neighbourPid = (await this.agent.processes(spec.id)).at(-1) ?? 0
    const [, base] = (await readFile(`/proc/${this.neighbourPid}/uid_map`, 'utf8')).trim().split(/\s+/)
    this.neighbourIdBase = Number(base)
  }

  async #endNeighbour(): Promise<void> {
    this.#neighbourInput.push('end\n')
    this.#neighbourInput.push(null)
    await this.#started
    const exit = await this.agent.client.wait(this.#neighbour)
    const log = await text(await this.agent.client.log(this.#neighbour))
    if (exit.cause !== 'exited' || exit.exitCode !== 0 || !log.endsWith('ready\nsignals 0\nwhole\n')) {
      this.canaries.found.push(
        `the neighbour noticed: ${exit.cause} ${exit.exitCode} ${log.replace(/\s+/g, ' ')}`,
      )
    }
  }
}
