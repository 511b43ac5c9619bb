import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  type OwnService,
  readyLine,
  type Service,
  sandboxProgram,
  startService,
} from '../main-job/service.ts'
import type { HeldListener } from './held-listener.ts'

const run = promisify(execFile)
const pollMs = 50
const nothing = () => Promise.resolve()

/** A service that is stopped and started again on its data and its port. With a held listener the port stays open meanwhile. */
export class RestartedService implements Service {
  readonly #first: OwnService
  readonly #held: HeldListener | undefined
  #second: ChildProcess | undefined

  private constructor(first: OwnService, held: HeldListener | undefined) {
    this.#first = first
    this.#held = held
  }

  static async start(settings: Record<string, string>, held?: HeldListener): Promise<RestartedService> {
    if (held === undefined) return new RestartedService(await startService(settings), held)
    const ground = { prepare: nothing, wrapper: () => held.wrapper, cleanUp: nothing }
    const own = { ...settings, SANDBOX_PORT: String(held.port) }
    return new RestartedService(await startService(own, ground), held)
  }

  get url(): string {
    return this.#first.url
  }

  get user(): string {
    return this.#first.user
  }

  get password(): string {
    return this.#first.password
  }

  /** As an operator does: it drains, and the next one is ready at the end. */
  async restart(): Promise<{ stoppedAfterMs: number }> {
    const startedMs = performance.now()
    await this.#first.sandbox('down')
    const stoppedAfterMs = performance.now() - startedMs
    const [command = '', ...args]: string[] = [...(this.#held?.wrapper ?? []), sandboxProgram, 'up']
    this.#second = spawn(command, args, {
      env: this.#first.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    await readyLine(this.#second, [])
    return { stoppedAfterMs }
  }

  /** The line of the log of requests with that id, when it is there. */
  async requestLine(id: string): Promise<{ from: string; status: number }> {
    for (;;) {
      const text = await readFile(join(this.#first.dataDir, 'logs/api.log'), 'utf8')
      const lines = text.split('\n').filter((line) => line.includes(id) && line.endsWith('"request"}'))
      const [line] = lines
      if (line !== undefined) return JSON.parse(line) as { from: string; status: number }
      await sleep(pollMs)
    }
  }

  async command(argv: string[], settings: Record<string, string>): Promise<string> {
    const ended = await run(sandboxProgram, argv, { env: { ...this.#first.env, ...settings } }).catch(
      (error: Error & { stdout: string; stderr: string }) => error,
    )
    return ended.stdout + ended.stderr
  }

  async stop(): Promise<void> {
    if (this.#second !== undefined && this.#second.exitCode === null) {
      const exited = once(this.#second, 'close')
      this.#second.kill('SIGTERM')
      await exited
    }
    await this.#first.stop()
  }
}
