import { sleep } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import { liveLogChannel } from '../live-logs/log-offers.ts'
import { type Listener, listen } from '../queue/listener.ts'
import { type AttemptRow, claimNextAttempt } from './attempt-store.ts'
import type { BuildSlots } from './build-slots.ts'
import { buildsQueuedChannel } from './enqueue-build.ts'
import { Provisioner, provisioningAskedChannel } from './provisioner.ts'
import { releaseLeases, returnClaims } from './returned-claim-store.ts'
import { buildLeaseMs, runBuild } from './run-build.ts'
import type { BuildTools } from './steps/step.ts'
import { sweepBuilds } from './sweep-builds.ts'

export interface BuildWorkerOptions {
  db: Database
  databaseUrl: string
  tools: BuildTools
  /** Builds in flight at once, and how companies share them. */
  share: BuildSlots
  /** The same after a restart, and no other worker's. */
  name: string
}

const lookEveryMs = 5000
const looksPerSweep = 12

/**
 * Takes queued builds in their turn, and has built versions provisioned again. The database tells it when one was queued; the slow look finds attempts whose
 * worker is gone, and makes up for notifications that a broken connection lost.
 */
export class BuildWorker {
  readonly #options: BuildWorkerOptions
  readonly #provisioner: Provisioner
  readonly #detach = new AbortController()
  readonly #flights = new Set<Promise<void>>()
  #listener: Listener | undefined
  #looking: Promise<void> = Promise.resolve()
  #claiming: Promise<void> | undefined
  #claimAgain = false

  constructor(options: BuildWorkerOptions) {
    this.#options = options
    this.#provisioner = new Provisioner(options.db, options.tools)
  }

  async start(): Promise<void> {
    // What it held when it last went away is found at once, not when the lease runs out.
    await releaseLeases(this.#options.db, this.#options.name)
    this.#listener = listen({
      url: this.#options.databaseUrl,
      channels: [buildsQueuedChannel, provisioningAskedChannel, liveLogChannel],
      onMessage: (channel, payload) => {
        if (channel === liveLogChannel) this.#options.tools.liveLogs.wanted(payload)
        else if (channel === provisioningAskedChannel) void this.#provisioner.look()
        else this.#lookForBuilds()
      },
      onListening: () => this.#look(),
      log: this.#options.tools.log,
    })
    this.#looking = this.#lookFromTimeToTime()
  }

  /** Claims nothing more and lets go of what runs: its sandboxes go on, and the next worker goes on with them. */
  async stop(): Promise<void> {
    this.#detach.abort()
    await this.#listener?.stop()
    await this.#looking
    await this.#claiming
    await this.#provisioner.stop()
    await Promise.all(this.#flights)
    const { db, name, tools } = this.#options
    await returnClaims(db, name).catch((error: unknown) => {
      tools.log.warn({ error: String(error) }, 'cannot give back builds')
    })
  }

  async #lookFromTimeToTime(): Promise<void> {
    const { db, tools } = this.#options
    for (let looks = 0; !this.#detach.signal.aborted; looks += 1) {
      this.#look()
      if (looks % looksPerSweep === 0) {
        await sweepBuilds(db, tools).catch((error: unknown) => {
          tools.log.warn({ error: String(error) }, 'cannot sweep builds')
        })
      }
      await sleep(lookEveryMs, this.#detach.signal)
    }
  }

  #look(): void {
    void this.#provisioner.look()
    this.#lookForBuilds()
  }

  /** One claimer at a time; a call meanwhile makes it go round once more. */
  #lookForBuilds(): void {
    this.#claimAgain = true
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined
    })
  }

  async #claim(): Promise<void> {
    const { db, share, name: worker, tools } = this.#options
    while (this.#claimAgain && !this.#detach.signal.aborted) {
      this.#claimAgain = false
      try {
        while (this.#flights.size < share.slots && !this.#detach.signal.aborted) {
          const attempt = await claimNextAttempt(db, { worker, leaseMs: buildLeaseMs, share })
          if (!attempt) break
          this.#launch(attempt)
        }
      } catch (error) {
        tools.log.warn({ error: String(error) }, 'cannot claim builds')
      }
    }
  }

  #launch(attempt: AttemptRow): void {
    const { db, tools } = this.#options
    const flight = runBuild(db, tools, attempt, this.#detach.signal)
      .catch((error: unknown) => tools.log.error({ err: error, attempt: attempt.id }, 'build left hanging'))
      .finally(() => {
        this.#flights.delete(flight)
        this.#lookForBuilds()
      })
    this.#flights.add(flight)
  }
}
