import { triggerEventWaitHours } from '@sandbox-jobs/contract/limits.ts'
import { type Clock, type sleep, systemClock } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Log } from '../../base/logging.ts'
import {
  listWaitingEvents,
  refuseEvent,
  startEvent,
  type WaitingEvent,
} from '../../custom-tables/triggers/row-events.ts'
import { isDatabaseUnavailable } from '../../db/database.ts'
import { CompanyQueues } from '../../fairness/company-queues.ts'
import type { CompanySchedule } from '../../fairness/company-schedule-statement.ts'
import { spanClock, submissionOf } from '../../tracing/span.ts'
import { recordSpan } from '../../tracing/tracing.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'
import type { SubmitDeps } from '../submit/submit-run.ts'
import { EventRefused, mayPass, planTriggeredRun, refusalOf } from './plan-triggered-run.ts'

/** The outbox of row events, as the loop that starts their runs uses it. */
export interface TriggerEvents {
  /** The oldest waiting events of the next companies, in the order of each company. */
  listWaiting(turns: CompanySchedule): Promise<WaitingEvent[]>
  /**
   * Queues the run of the event and records it as the outcome, both or neither; does nothing if the event has an outcome. Throws
   * `EventRefused`, or a `CodedError` while the event has to wait.
   */
  start(event: WaitingEvent): Promise<void>
  /** Records why the event starts no run, unless it has an outcome. */
  refuse(event: WaitingEvent, code: string): Promise<void>
}

export interface TriggeredRunsOptions {
  events: TriggerEvents
  clock: Clock
  log: Log
  /** Whether runs may start now. */
  mayStart: () => Promise<boolean>
  pollIntervalMs?: number
  pause?: typeof sleep | undefined
}

const pollIntervalDefaultMs = 1000
const hourMs = 3_600_000

/**
 * Starts the runs of row events (contract part 3, D3). The transaction that queues a run records it with its event, so after a
 * crash the event waits or has its one run. The events of a company are handled in their order: one that has to wait, because
 * the queue is full, keeps those after it waiting, and nobody else's.
 */
export class TriggeredRuns {
  readonly #options: TriggeredRunsOptions
  readonly #turns: CompanyQueues<WaitingEvent>

  constructor(options: TriggeredRunsOptions) {
    this.#options = options
    this.#turns = new CompanyQueues({
      clock: options.clock,
      mayHandle: options.mayStart,
      listWaiting: (turns) => options.events.listWaiting(turns),
      handle: (event) => this.#handle(event),
    })
  }

  /** Rounds until no event can be handled now, or the signal fires. Returns their number. */
  startAll(signal?: AbortSignal): Promise<number> {
    return this.#turns.all(signal)
  }

  /** One round over the next companies. Returns the number of events that it handled. */
  startRound(): Promise<number> {
    return this.#turns.once()
  }

  async #handle(event: WaitingEvent): Promise<'handled' | 'waits'> {
    const { events } = this.#options
    try {
      await events.start(event)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      const code = this.#refusal(event, error)
      if (code === undefined) return 'waits'
      await events.refuse(event, code)
    }
    return 'handled'
  }

  /** Why the event starts no run; undefined while it may still start one. */
  #refusal(event: WaitingEvent, error: unknown): string | undefined {
    const { clock, log } = this.#options
    if (error instanceof EventRefused) return error.code
    if (!(error instanceof CodedError && mayPass(error)))
      log.error({ event: event.id, error: String(error) }, 'a row event could not be handled')
    const waitedMs = clock.now().getTime() - event.created_at.getTime()
    return waitedMs > triggerEventWaitHours * hourMs ? 'trigger_event_expired' : undefined
  }
}

/** The loop of the worker. It polls: a delay of a second is short for a run that nobody waits for. */
export const startTriggeredRuns = (options: TriggeredRunsOptions): Ticker => {
  const triggered = new TriggeredRuns(options)
  return startTicker({
    name: 'triggered runs',
    tick: (signal) => triggered.startAll(signal),
    intervalMs: options.pollIntervalMs ?? pollIntervalDefaultMs,
    log: options.log,
    pause: options.pause,
  })
}

export const postgresTriggerEvents = (deps: SubmitDeps): TriggerEvents => ({
  listWaiting: (turns) => listWaitingEvents(deps.db, turns),
  start: async (event) => {
    const now = spanClock(systemClock.now().getTime())
    const startMs = now()
    const run = await planTriggeredRun(deps, event)
    let queued: string | undefined
    await startEvent(deps.db, event, async (trx) => {
      const made = await deps.queue.enqueueWithin(trx, run).catch((error: unknown) => {
        throw refusalOf(error)
      })
      queued = made.id
      return made
    })
    if (queued === undefined) return
    recordSpan({ ...submissionOf(queued), name: 'trigger', process: 'worker', startMs, endMs: now() })
  },
  refuse: (event, code) => refuseEvent(deps.db, event, code),
})
