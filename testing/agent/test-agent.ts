import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Header, pack } from 'tar-stream'
import { AgentClient } from '../../agent/client/agent-client.ts'
import { readStartRecord } from '../../agent/core/records/start-record.ts'
import { detectCgroups } from '../../agent/host/cgroup-layout.ts'
import { removeCgroups } from '../../agent/host/cgroups.ts'
import type { SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxRuntime, SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { sleep } from '../../server/base/clock.ts'
import { newId } from '../../server/base/ids.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { spawnBound } from '../bound-process.ts'
import { layerOf } from '../image-layer.ts'

const agentProgram = fileURLToPath(new URL('../../server/main/agent.ts', import.meta.url))
/** Node's compile cache, outside of vitest shared with the command `sandbox`: the next agent starts in a third of the time. */
const { COMPILED_PROGRAMS: compiled = resolve(import.meta.dirname, '../../node_modules/.cache/node') } =
  process.env

/** The setting with which a service's own sandboxes are on the default runtime. */
export const onDefaultRuntime = { SANDBOX_RUNTIME: 'launcher' }

export interface AgentCommand {
  /** Command line put before the agent's command. */
  prefix?: string[]
  /** Another program than this tree's agent. */
  program?: string
}

/** For tests: a real host agent with its own data folder and control group. */
export class TestAgent {
  readonly dataDir: string
  readonly client: AgentClient
  readonly cgroup: string
  readonly settings: Record<string, string>
  process: ChildProcess | undefined

  readonly prefix: string[]
  readonly #program: string

  private constructor(dataDir: string, settings: Record<string, string>, command: AgentCommand) {
    this.settings = settings
    this.prefix = command.prefix ?? []
    this.#program = command.program ?? agentProgram
    this.dataDir = dataDir
    this.client = new AgentClient(join(dataDir, 'agent.sock'))
    this.cgroup = `sandbox-jobs-test-${basename(dataDir).slice(-6)}`
  }

  /** `settings` are environment variables of the agent. By default there are no warm sandboxes, so each sandbox is named by its id. */
  static async start(settings: Record<string, string> = {}, command: AgentCommand = {}): Promise<TestAgent> {
    const agent = new TestAgent(await mkdtemp(join(tmpdir(), 'sandbox-agent-')), settings, command)
    await agent.start()
    return agent
  }

  /** Another agent on the same data folder, not started. */
  sibling(): TestAgent {
    return new TestAgent(this.dataDir, this.settings, { prefix: this.prefix, program: this.#program })
  }

  /** Starts the process; rejects with its last line if it ends. */
  async start(): Promise<void> {
    const own = [process.execPath, this.#program, '--cgroup', this.cgroup]
    const child = spawnBound([...this.prefix, ...own], {
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        NODE_COMPILE_CACHE: compiled,
        SANDBOX_DATA: this.dataDir,
        SANDBOX_WARM_SANDBOXES: '0',
        // Each specification chooses its own.
        SANDBOX_RUNTIME: 'crun',
        SANDBOX_AGENT_SOCKET: join(this.dataDir, 'agent.sock'),
        // Tests do not use the network of the machine.
        SANDBOX_RUNTIME_EGRESS: 'false',
        ...this.settings,
      },
    })
    this.process = child
    let last = ''
    for await (const line of createInterface(child.stdout)) {
      last = line
      if (line.includes('"ready"')) return
    }
    throw new Error(`the agent ended: ${last}`)
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.process
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill(signal)
    return ended
  }

  /** Ends every remaining sandbox and the agent, and removes the data folder and the control groups. */
  async dispose(): Promise<void> {
    try {
      await this.#endSandboxes()
      this.client.close()
      await this.end('SIGTERM')
    } finally {
      await this.end('SIGKILL')
    }
    const layout = await detectCgroups()
    if (layout) await removeCgroups(layout, this.cgroup)
    await rm(this.dataDir, { recursive: true, force: true })
  }

  async #endSandboxes(): Promise<void> {
    for (const { id, state } of await this.client.list()) {
      if (state === 'forbidden') continue
      if (state !== 'exited') await this.client.stop(id)
      await this.client.wait(id)
      await this.client.remove(id)
    }
  }

  /** Runs a sandbox to its end. */
  async run(spec: SandboxSpec, input = ''): Promise<{ exit: SandboxExit; log: string }> {
    await this.client.start(spec, inputOf(Buffer.from(input)))
    const exit = await this.client.wait(spec.id)
    const log = (await buffer(await this.client.log(spec.id))).toString('utf8')
    return { exit, log }
  }

  /** Installs an image with these entries; returns its digest. */
  async image(entries: [Partial<Header> & { name: string }, (string | Buffer)?][] = []): Promise<string> {
    const tar = await tarOf(entries)
    const digest = sha256Of(tar)
    await this.client.installImage(digest, layerOf(tar))
    return digest
  }

  /** Waits until the program of that sandbox runs. Throws if it has ended. */
  running(id: string): Promise<void> {
    return waitUntil(async () => {
      const state = (await this.client.list()).find((one) => one.id === id)?.state
      if (state === 'exited') throw new Error(`the program of ${id} has ended`)
      return state === 'running'
    })
  }

  /** Name of the folder of sandbox `id`. */
  async nameOf(id: string): Promise<string> {
    for (const name of await this.folders()) {
      const startRecord = readStartRecord(join(this.dataDir, 'agent/sandboxes', name))
      if (startRecord?.spec.id === id) return name
    }
    throw new Error(`no sandbox was made for ${id}`)
  }

  /** Names of the warm sandboxes. */
  async warm(): Promise<string[]> {
    const names = (await this.folders()).filter((name) => name.startsWith('warm_'))
    return names.filter((name) => !readStartRecord(join(this.dataDir, 'agent/sandboxes', name)))
  }

  folders(): Promise<string[]> {
    return readdir(join(this.dataDir, 'agent/sandboxes'))
  }

  /** Output of a command on the host. */
  async onHost(program: string, ...words: string[]): Promise<string> {
    return (await promisify(execFile)(program, words)).stdout
  }

  /** Host process ids in the control group of sandbox `id`. */
  async processes(id: string): Promise<number[]> {
    const text = await readFile(join('/sys/fs/cgroup/pids', this.cgroup, id, 'cgroup.procs'), 'utf8').catch(
      () => readFile(join('/sys/fs/cgroup', this.cgroup, id, 'cgroup.procs'), 'utf8').catch(() => ''),
    )
    return text.split('\n').filter(Boolean).map(Number)
  }

  /** Host pid of process 1 of sandbox `id`. */
  async firstProcess(id: string): Promise<number> {
    for (const pid of await this.processes(id)) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (words.startsWith('/.sandbox/init\0')) return pid
    }
    throw new Error(`${id} has no process`)
  }

  /** Pid of the shim of sandbox `id`. */
  shim(id: string): Promise<number> {
    return processOf((words) => words.at(-1)?.endsWith(`/sandboxes/${id}`) === true)
  }

  spawner(): Promise<number> {
    return processOf(
      ([program, folder]) =>
        program?.endsWith('/spawner') === true && folder?.startsWith(this.dataDir) === true,
    )
  }
}

async function processOf(isIt: (words: string[]) => boolean): Promise<number> {
  for (const pid of await readdir('/proc')) {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (isIt(text.split('\0').slice(0, -1))) return Number(pid)
  }
  throw new Error('there is no such process')
}

export async function tarOf(
  entries: [Partial<Header> & { name: string }, (string | Buffer)?][],
): Promise<Buffer> {
  const tar = pack()
  for (const [headers, content] of entries) tar.entry(headers, content ?? '')
  tar.finalize()
  return buffer(tar)
}

export const busybox = '/.sandbox/busybox'
const MiB = 1024 * 1024

/** A small job that runs `script` in the platform's shell. */
export function shellJob(
  digest: string,
  script: string,
  { runtime = 'crun', ...limits }: Partial<SandboxSpec['limits']> & { runtime?: SandboxRuntime } = {},
): SandboxSpec {
  return {
    id: newId('run'),
    rootfs: { kind: 'image', digest },
    argv: [busybox, 'sh', '-c', script],
    env: {},
    user: { uid: 0, gid: 0 },
    hostname: 'job',
    runtime,
    confinement: 'job',
    network: 'none',
    limits: {
      timeoutMs: 60_000,
      memoryBytes: 128 * MiB,
      workspaceBytes: 32 * MiB,
      workspaceKind: 'memory',
      workspaceInodes: 1024,
      vcpu: 1,
      pids: 32,
      openFiles: 256,
      logBytes: 64 * 1024,
      ...limits,
    },
    collect: {
      files: [{ name: 'output', path: '/workspace/output.json', maxBytes: 1000 }],
      tree: {
        path: '/workspace/artifacts',
        maxFiles: 5,
        maxBytes: MiB,
        maxPathBytes: 1024,
        maxNameBytes: 255,
      },
    },
  }
}

/** Waits until `condition` holds; fails by the test's own timeout. */
export async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10)
}
