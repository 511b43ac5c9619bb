import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { sleep } from '../../../base/clock.ts'
import { eachLine } from '../../../base/each-line.ts'
import { raiseSessionPriority } from '../../../base/priority/session-priority.ts'
import { exitCodes, knownExitCode, ServiceProblem } from '../service-problem.ts'
import type { Part } from '../supervisor.ts'
import { backoffMs, restartNotice } from './backoff.ts'
import { progressMessage, readyMessage } from './ready-message.ts'

export interface RoleSpec {
  name: string
  /** The whole command. It must exit when its parent does. */
  argv: string[]
  cwd: string
  /** Descriptors that the process gets, numbered from `firstPassedAs`. */
  passed?: number[]
  /** The whole environment, computed at every start. */
  env: () => NodeJS.ProcessEnv
  /** Time until it is ready, counted from its last progress report. */
  startTimeoutMs: number
  /** Time between SIGTERM and SIGKILL. */
  stopTimeoutMs: number
  /** Nobody waits for it: it gets no larger share of the processors than a sandbox. */
  inBackground?: boolean
}

/** The descriptors below are standard streams, or the role's own (`reader-start.c`). */
export const firstPassedAs = 7
const notPassed = Array<'ignore'>(firstPassedAs - 3).fill('ignore')

export interface RoleEvents {
  /** A line of the role's output, normally JSON. */
  line(role: string, line: string): void
  /** A message for the operator. */
  note(role: string, text: string): void
}

const firstTries = 3
/**
 * A role that was ready for this long counts as healthy: its next restart has the shortest pause. Starting takes less
 * than a second, so a role that always dies just after this time still serves most of the time.
 */
const steadyMs = 3_000

/**
 * One role as a child process in its own session, so that an interrupt typed at the terminal reaches only the
 * supervisor. The kernel stops it when the supervisor dies. It is restarted whenever it dies: at once at first, then
 * after pauses that double up to 5 s.
 */
export class RoleProcess implements Part {
  readonly name: string
  readonly #spec: RoleSpec
  readonly #events: RoleEvents
  readonly #stopping = new AbortController()
  #child: ChildProcess | undefined
  #ended: Promise<End> | undefined
  #loop: Promise<void> | undefined

  constructor(spec: RoleSpec, events: RoleEvents) {
    this.name = spec.name
    this.#spec = spec
    this.#events = events
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when the role reports that it is ready; rejects if it cannot start here. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const life = this.#spawn()
      const { ready, ended } = life
      const outcome = await Promise.race([ready, ended, this.#stalled(life)])
      if (outcome === 'ready') {
        this.#loop = this.#keepRunning(life)
        return
      }
      if (this.#stopping.signal.aborted) return
      if (outcome === undefined) {
        this.kill()
        await ended
        throw new ServiceProblem(
          exitCodes.failed,
          `${this.name} was not ready after ${this.#spec.startTimeoutMs / 1000} s, nor did it report progress`,
        )
      }
      const known = knownExitCode(outcome.code)
      if (known) throw new ServiceProblem(known, `${this.name} cannot start here (its own words are above)`)
      if (attempt === firstTries) {
        throw new ServiceProblem(
          exitCodes.failed,
          `${this.name} ${describe(outcome)} ${firstTries} times while starting`,
        )
      }
      this.#events.note(this.name, `${describe(outcome)} while starting; trying again`)
      await sleep(backoffMs(attempt + 1), this.#stopping.signal)
      if (this.#stopping.signal.aborted) return
    }
  }

  /** Stops the role and waits for it; kills it after its stop timeout. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#child?.kill('SIGTERM')
    const timer = setTimeout(() => this.kill(), this.#spec.stopTimeoutMs)
    await this.#ended
    await this.#loop
    clearTimeout(timer)
  }

  /** Kills the role. The next start finds and finishes its unfinished work. */
  kill(): void {
    this.#stopping.abort()
    this.#child?.kill('SIGKILL')
  }

  async #keepRunning(first: Life): Promise<void> {
    let end = await endOf(first)
    for (let deaths = 1; !this.#stopping.signal.aborted; deaths += 1) {
      if (end.servedMs > steadyMs) deaths = 1
      const pauseMs = backoffMs(deaths)
      this.#events.note(this.name, `${describe(end)}; ${restartNotice(pauseMs)}`)
      await sleep(pauseMs, this.#stopping.signal)
      if (this.#stopping.signal.aborted) return
      const life = this.#spawn()
      void life.ready.then(() => this.#events.note(this.name, 'is back'))
      end = await endOf(life)
    }
  }

  /** Resolves when a start has reported no progress within its timeout. */
  async #stalled({ ready, ended, progress }: Life): Promise<undefined> {
    const over = new AbortController()
    void Promise.race([ready, ended]).then(() => over.abort())
    for (let reported = -1; reported !== progress.count && !over.signal.aborted; ) {
      reported = progress.count
      await sleep(this.#spec.startTimeoutMs, over.signal)
    }
  }

  #spawn(): Life {
    const { passed = [] } = this.#spec
    const [command = '', ...args] = this.#spec.argv
    const child = spawn(command, args, {
      cwd: this.#spec.cwd,
      env: this.#spec.env(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...(passed.length > 0 ? notPassed : []), ...passed],
    }) as ChildProcessByStdio<null, Readable, Readable>
    this.#child = child
    if (child.pid !== undefined && !this.#spec.inBackground) raiseSessionPriority(child.pid)
    const progress = { count: 0 }
    const ready = new Promise<'ready'>((resolve) => {
      eachLine(child.stdout, (line) => {
        this.#events.line(this.name, line)
        if (says(line, readyMessage)) resolve('ready')
        if (says(line, progressMessage)) progress.count += 1
      })
    })
    eachLine(child.stderr, (line) => this.#events.line(this.name, line))
    const ended = new Promise<End>((resolve) => {
      child.on('error', (error) => resolve({ code: null, signal: error.message }))
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    this.#ended = ended
    return { ready, ended, progress }
  }
}

interface End {
  code: number | null
  signal: string | null
}

/** One process of the role. */
interface Life {
  ready: Promise<'ready'>
  ended: Promise<End>
  /** Progress reports of its start. */
  progress: { count: number }
}

async function endOf({ ready, ended }: Life): Promise<End & { servedMs: number }> {
  let readyAtMs = Number.POSITIVE_INFINITY
  void ready.then(() => {
    readyAtMs = performance.now()
  })
  const end = await ended
  return { ...end, servedMs: performance.now() - readyAtMs }
}

const describe = (end: End): string =>
  end.signal ? `was ended by ${end.signal}` : `ended with exit code ${end.code ?? 'unknown'}`

function says(line: string, message: string): boolean {
  if (!line.includes(`"msg":"${message}"`)) return false
  try {
    return (JSON.parse(line) as { msg?: unknown }).msg === message
  } catch {
    return false
  }
}
