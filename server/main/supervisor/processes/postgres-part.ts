import { sleep } from '../../../base/clock.ts'
import { type Postgres, type PostgresOptions, startPostgres } from '../../../postgres/postgres.ts'
import { PostgresProblem, type PostgresProblemSlug } from '../../../postgres/problem.ts'
import { type ExitCode, exitCodes, ServiceProblem } from '../service-problem.ts'
import type { Part } from '../supervisor.ts'
import { backoffMs, restartNotice } from './backoff.ts'
import type { DatabaseUrls } from './database-setup.ts'

const exitCodeOf: Record<PostgresProblemSlug, ExitCode> = {
  program_missing: exitCodes.toolMissing,
  account_missing: exitCodes.toolMissing,
  folder_unusable: exitCodes.dataFolder,
  version_mismatch: exitCodes.dataFolder,
  already_running: exitCodes.secondInstance,
  port_in_use: exitCodes.portInUse,
  start_failed: exitCodes.failed,
}

export interface PostgresHooks {
  /** A message for the operator. */
  note: (text: string) => void
  /** Called once, before the database is reported as started. Aborted by the signal. */
  onStart: (postgres: Postgres, signal: AbortSignal) => Promise<void>
}

/** The embedded Postgres as a part of the service. It restarts on the same port, so other processes need no notice. */
export class PostgresPart implements Part {
  readonly name = 'postgres'
  readonly #options: PostgresOptions
  readonly #hooks: PostgresHooks
  readonly #stopping = new AbortController()
  #postgres: Postgres | undefined
  #starting: Promise<unknown> | undefined
  #loop: Promise<void> | undefined

  constructor(options: PostgresOptions, hooks: PostgresHooks) {
    this.#options = options
    this.#hooks = hooks
  }

  /** Addresses of the database; available once it has started. */
  get urls(): DatabaseUrls {
    if (!this.#postgres) throw new Error('Postgres has not started')
    return { owner: this.#postgres.url, ...this.#postgres.urls }
  }

  get pid(): number {
    return this.#postgres?.pid ?? 0
  }

  async start(): Promise<void> {
    const starting = startPostgres(this.#options)
    this.#starting = starting.catch(() => undefined)
    try {
      this.#postgres = await starting
    } catch (error) {
      if (!(error instanceof PostgresProblem)) throw error
      throw new ServiceProblem(exitCodeOf[error.slug], error.message, { cause: error })
    }
    this.#loop = this.#keepRunning(this.#postgres)
    const { signal } = this.#stopping
    if (!signal.aborted) await this.#hooks.onStart(this.#postgres, signal)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    // A running start is finished first: a half-started server must not keep running.
    await this.#starting
    await this.#postgres?.stop()
    await this.#loop
  }

  kill(): void {
    void this.stop()
  }

  async #keepRunning(first: Postgres): Promise<void> {
    await first.exited
    for (let deaths = 1; !this.#stopping.signal.aborted; deaths += 1) {
      const pauseMs = backoffMs(deaths)
      this.#hooks.note(`ended; ${restartNotice(pauseMs)}`)
      await sleep(pauseMs, this.#stopping.signal)
      if (this.#stopping.signal.aborted) return
      try {
        this.#postgres = await startPostgres({ ...this.#options, port: first.port })
      } catch (error) {
        this.#hooks.note(error instanceof Error ? error.message : String(error))
        continue
      }
      this.#hooks.note('is back')
      if (this.#stopping.signal.aborted) await this.#postgres.stop()
      deaths = 0
      await this.#postgres.exited
    }
  }
}
