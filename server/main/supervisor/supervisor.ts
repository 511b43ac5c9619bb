import { systemClock } from '../../base/clock.ts'
import { tidyAfterStart } from './host/tidy-after-start.ts'
import { tellServiceManager } from './service-manager.ts'
import { type ExitCode, exitCodes } from './service-problem.ts'
import { say } from './terminal.ts'

/*
 * The supervisor starts the parts of the service in stages, the parts of a stage at once when the stage before is
 * ready. It stops them one by one in reverse order, so that a part that accepts work stops before the part that does
 * it, and the database stops last. Each part restarts itself; the supervisor only knows the order.
 *
 * A first signal drains: the API stops accepting and answers open requests, the worker stops claiming and releases
 * what it holds, the host agent exits and leaves its sandboxes running, Postgres shuts down. A second signal kills
 * the rest. Nothing is lost either way: sandboxes have their own shims, and everything else is in the database, whose
 * commits are durable.
 */

/** A process of the service. */
export interface Part {
  readonly name: string
  start(): Promise<void>
  /** Drains; must resolve within a bounded time. */
  stop(): Promise<void>
  /** Kills the part at once; `stop` then resolves. */
  kill(): void
}

export class Supervisor {
  readonly #stages: Part[][]
  readonly #started: Part[] = []
  #stopping: Promise<void> | undefined

  /** In start order; within a stage, the last part stops first. */
  constructor(stages: Part[][]) {
    this.#stages = stages
  }

  /** Starts every part. If one cannot start, stops the others and rejects with its reason. */
  async start(): Promise<void> {
    try {
      for (const stage of this.#stages) {
        if (this.#stopping) return
        this.#started.push(...stage)
        await Promise.all(stage.map((part) => part.start()))
      }
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Drains in reverse order; a second call waits for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#drain()
    return this.#stopping
  }

  /** Kills every part at once. */
  kill(): void {
    for (const part of this.#started) part.kill()
  }

  async #drain(): Promise<void> {
    for (const part of this.#started.toReversed()) await part.stop()
  }
}

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Runs the service until SIGTERM or SIGINT and then drains it; a second signal kills the rest. Resolves with the exit
 * code; rejects with the reason why a part could not start.
 */
export async function untilSignal(supervisor: Supervisor, whenReady: () => void): Promise<ExitCode> {
  let signals = 0
  const stopRequest = Promise.withResolvers<void>()
  const onSignal = () => {
    signals += 1
    if (signals === 1) {
      say('sandbox', 'stopping; once more to stop at once', systemClock.now())
      void tellServiceManager('STOPPING=1')
    } else supervisor.kill()
    stopRequest.resolve()
  }
  for (const name of stopSignals) process.on(name, onSignal)
  // A closed terminal accepts no more lines; the log files still do.
  process.stdout.on('error', () => {})
  try {
    const started = supervisor.start()
    await Promise.race([started, stopRequest.promise])
    if (signals === 0) {
      whenReady()
      void tellServiceManager('READY=1')
      tidyAfterStart()
    }
    await stopRequest.promise
    await supervisor.stop()
    await started
    say('sandbox', 'stopped', systemClock.now())
    return signals > 1 ? exitCodes.failed : exitCodes.stopped
  } finally {
    for (const name of stopSignals) process.off(name, onSignal)
  }
}
