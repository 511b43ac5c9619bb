import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, exitCodes } from '../../failure.ts'
import {
  type Container,
  type Engine,
  type ImageConfig,
  type ImageSource,
  killedCode,
  type ResultName,
  type SandboxPlan,
} from './engine.ts'
import { finish, leave, logged, output, programFailed, startLogged } from './program.ts'

/**
 * Docker or Podman, by their common commands. Nothing of this machine is mounted: files go in and out as archives, so that it
 * works where the engine runs on another machine, and leaves no files of other owners.
 */
export class ContainerEngine implements Engine {
  readonly name: 'docker' | 'podman'
  readonly notLimited = ['processors', 'the size of files'] as const
  #image = ''

  constructor(name: 'docker' | 'podman') {
    this.name = name
  }

  async prepare(
    source: ImageSource,
    onLog: (bytes: Buffer) => void,
    signal: AbortSignal,
  ): Promise<ImageConfig> {
    if (source.kind === 'rootfs') throw needsCrun
    this.#image = source.kind === 'image' ? source.name : await this.#build(source.path, onLog, signal)
    const inspect = [this.name, 'image', 'inspect', '--format', '{{json .Config}}', this.#image]
    if ((await finish(inspect)).code !== 0) {
      const pull = [this.name, 'pull', this.#image]
      if ((await logged(pull, onLog, signal)) !== 0)
        throw programFailed(pull, `there is no image ${this.#image}`)
    }
    const { Env } = JSON.parse(await output(inspect)) as { Env?: string[] | null }
    return { env: Env ?? [] }
  }

  async create(plan: SandboxPlan): Promise<Container> {
    const [entrypoint = '', ...args] = plan.argv
    const id = await output([
      this.name,
      'create',
      ...optionsOf(plan),
      '--entrypoint',
      entrypoint,
      this.#image,
      ...args,
    ])
    const container = new EngineContainer(this.name, id)
    try {
      await container.put(plan.archive)
      return container
    } catch (error) {
      await container.remove()
      throw error
    }
  }

  /** The layers stay, so that the next build is quick. */
  async dispose(): Promise<void> {}

  async #build(folder: string, onLog: (bytes: Buffer) => void, signal: AbortSignal): Promise<string> {
    const work = await mkdtemp(join(tmpdir(), 'sandbox-local-'))
    try {
      const idFile = join(work, 'id')
      const build = [this.name, 'build', '--iidfile', idFile, folder]
      if ((await logged(build, onLog, signal)) !== 0) throw buildFailed(this.name)
      return (await readFile(idFile, 'utf8')).trim()
    } finally {
      await rm(work, { recursive: true })
    }
  }
}

const killPauseMs = 200

/** No capability, no new privileges, as in a run on the service. */
const optionsOf = ({ memoryMib, pids, network }: SandboxPlan): string[] => [
  ...['--name', `sandbox-local-${randomBytes(6).toString('hex')}`, '--hostname', 'job'],
  ...['--workdir', '/workspace', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
  ...['--memory', `${memoryMib}m`, '--memory-swap', `${memoryMib}m`, '--pids-limit', String(pids)],
  ...(network ? [] : ['--network', 'none']),
]

class EngineContainer implements Container {
  readonly #engine: string
  readonly #id: string
  #isKilled = false
  #hasEnded = false

  constructor(engine: string, id: string) {
    this.#engine = engine
    this.#id = id
  }

  /** Unpacks an archive at the root. */
  async put(archive: string): Promise<void> {
    const argv = ['cp', '-', `${this.#id}:/`]
    const child = spawn(this.#engine, argv, { stdio: ['pipe', 'ignore', 'pipe'] })
    const ended = once(child, 'close')
    const said = text(child.stderr)
    // The reason of a program that stops to read is what it prints.
    await pipeline(createReadStream(archive), child.stdin).catch(() => undefined)
    await ended
    if (child.exitCode !== 0) throw programFailed([this.#engine, ...argv], await said)
  }

  async run(onLog: (bytes: Buffer) => void) {
    const started = startLogged([this.#engine, 'start', '--attach', this.#id], onLog)
    started.endInput()
    await started.code
    this.#hasEnded = true
    const inspect = [this.#engine, 'inspect', '--format', '{{json .State}}', this.#id]
    const state = JSON.parse(await output(inspect)) as {
      Status: string
      ExitCode: number
      OOMKilled: boolean
    }
    if (!['exited', 'stopped'].includes(state.Status)) {
      if (this.#isKilled) return { exitCode: killedCode, outOfMemory: false }
      throw notStarted(this.#engine)
    }
    return { exitCode: state.ExitCode, outOfMemory: state.OOMKilled }
  }

  /** Repeated until it has ended: one that has not started yet cannot be killed. */
  async kill(): Promise<void> {
    this.#isKilled = true
    while (!this.#hasEnded) {
      await finish([this.#engine, 'kill', this.#id])
      await sleep(killPauseMs)
    }
  }

  abandon(): void {
    leave([this.#engine, 'rm', '--force', '--volumes', this.#id])
  }

  async *result(name: ResultName) {
    const argv = ['cp', `${this.#id}:/workspace/${name}`, '-']
    const child = spawn(this.#engine, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = once(child, 'close')
    const said = text(child.stderr)
    let isEmpty = true
    for await (const chunk of child.stdout) {
      isEmpty = false
      yield chunk as Buffer
    }
    await ended
    // Without a byte there is nothing at that path.
    if (child.exitCode !== 0 && !isEmpty) throw programFailed([this.#engine, ...argv], await said)
  }

  async remove(): Promise<void> {
    await finish([this.#engine, 'rm', '--force', '--volumes', this.#id])
  }
}

export const buildFailed = (name: string) =>
  new CliError(`${name} could not build the image.`, {
    hint:
      `Read what it printed above. A base image that only the service has can be an image of yours under the same name, ` +
      `for example: ${name} tag IMAGE curated/python:3.11`,
    code: 'cli_local_build',
  })

const notStarted = (name: string) =>
  new CliError(`${name} could not start the container.`, {
    hint: 'Read what it printed above.',
    code: 'cli_local',
  })

const needsCrun = new CliError('Only crun runs a folder with a root file system.', {
  hint: 'Use it with --engine crun, or name an image with --image.',
  code: 'cli_usage',
  exitCode: exitCodes.usage,
})
