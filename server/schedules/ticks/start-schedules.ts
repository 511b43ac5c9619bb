import type { sleep } from '../../base/clock.ts'
import { CompanyQueues } from '../../fairness/company-queues.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'
import { listDueSchedules, type ScheduleRow } from '../catalogue/schedule-store.ts'
import { handleTick, type TickDeps } from './handle-tick.ts'

export interface SchedulesOptions extends TickDeps {
  /** Whether runs may start now. */
  mayStart: () => Promise<boolean>
  pause?: typeof sleep | undefined
}

const pollIntervalMs = 1000

/** Starts the runs of schedules whose ticks are due, a few of each company in its turn. */
export class ScheduledRuns {
  readonly #turns: CompanyQueues<ScheduleRow>

  constructor({ mayStart, ...deps }: SchedulesOptions) {
    this.#turns = new CompanyQueues({
      clock: deps.clock,
      mayHandle: mayStart,
      listWaiting: (turns) => listDueSchedules(deps.db, turns, deps.clock.now()),
      handle: async (schedule) => {
        await handleTick(deps, schedule)
        return 'handled'
      },
    })
  }

  /** Rounds until no tick is due, or the signal fires. Returns the number of ticks that it looked at. */
  startAll(signal?: AbortSignal): Promise<number> {
    return this.#turns.all(signal)
  }

  /** One round over the next companies. Returns the number of ticks that it looked at. */
  startRound(): Promise<number> {
    return this.#turns.once()
  }
}

/** The loop of the worker. */
export const startSchedules = (options: SchedulesOptions): Ticker => {
  const runs = new ScheduledRuns(options)
  return startTicker({
    name: 'schedules',
    tick: (signal) => runs.startAll(signal),
    intervalMs: pollIntervalMs,
    log: options.log,
    pause: options.pause,
  })
}
