import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { mean } from '../measure/percentile.ts'

const run = promisify(execFile)

/** Compiles the launcher into `folder` and returns its path. */
export async function buildLauncher(folder: string): Promise<string> {
  const target = join(folder, 'launcher')
  await run('cc', [
    '-O2',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-o',
    target,
    join(import.meta.dirname, 'launcher.c'),
  ])
  return target
}

export interface LauncherOptions {
  launcher: string
  /** Absolute path of the program, and its arguments. */
  command: readonly string[]
  /** File that is the standard input of the command. */
  stdin?: string
  /** File for the error output of the command. */
  errors: string
  /** A command that prepares the environment and then executes its arguments. */
  wrapper?: readonly string[]
  env?: NodeJS.ProcessEnv
  /** The end of the measured time: the end of the command, the first byte of its output, or the end of all that it left behind. */
  timed?: Timed
}

export type Timed = 'end' | 'output' | 'all'

/** A program that a small separate process starts and times; `close` ends that process. */
export class Launcher {
  readonly #child: ChildProcess
  readonly #options: LauncherOptions
  readonly #cpuMs: number[] = []
  /** Receives the next line; undefined means that no further line follows. */
  #answered: (line: string | undefined) => void = () => undefined
  #ended = false

  constructor(options: LauncherOptions) {
    this.#options = options
    const { launcher, command, stdin = '/dev/null', errors, wrapper = [], timed = 'end' } = options
    const [program = '', ...args] = [...wrapper, launcher, timed, stdin, errors, ...command]
    this.#child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: options.env ?? { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    })
    this.#child.on('error', () => this.#child.stdout?.destroy())
    this.#child.stdin?.on('error', () => undefined)
    if (!this.#child.stdout) throw new Error('the launcher has no output')
    createInterface({ input: this.#child.stdout })
      .on('line', (line) => this.#answered(line))
      .on('close', () => {
        this.#ended = true
        this.#answered(undefined)
      })
  }

  /** Runs the command once and returns its milliseconds; rejects with its error output when it fails. */
  async once(): Promise<number> {
    const line = await new Promise<string | undefined>((resolve) => {
      this.#answered = resolve
      if (this.#ended) resolve(undefined)
      this.#child.stdin?.write('g')
    })
    const [ns, us, status] = (line ?? '').split(' ').map(Number)
    if (ns === undefined || us === undefined || status !== 0) throw new Error(await this.#complaint(status))
    this.#cpuMs.push(us / 1000)
    return ns / 1e6
  }

  /** Mean processor time of one run: of the command and the children that it waited for. */
  get cpuMs(): number | null {
    return this.#cpuMs.length === 0 ? null : mean(this.#cpuMs)
  }

  get lastCpuMs(): number {
    return this.#cpuMs.at(-1) ?? 0
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await exited
    await rm(this.#options.errors, { force: true })
  }

  async #complaint(status: number | undefined): Promise<string> {
    const errorOutput = await readFile(this.#options.errors, 'utf8').catch(() => '')
    const last = errorOutput.trim().split('\n').slice(-3).join('; ')
    return `${this.#options.command[0]} ended with wait status ${status ?? 'unknown'}: ${last}`
  }
}
