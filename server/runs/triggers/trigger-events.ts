import {
  listWaitingEvents,
  refuseEvent,
  startEvent,
  type WaitingEvent,
} from '../../custom-tables/triggers/row-events.ts'
import type { CompanySchedule } from '../../fairness/company-schedule-statement.ts'
import type { SubmitDeps } from '../submit/submit-run.ts'
import { planTriggeredRun, refusalOf } from './plan-triggered-run.ts'

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

export const postgresTriggerEvents = (deps: SubmitDeps): TriggerEvents => ({
  listWaiting: (turns) => listWaitingEvents(deps.db, turns),
  start: async (event) => {
    const run = await planTriggeredRun(deps, event)
    await startEvent(deps.db, event, (trx) =>
      deps.queue.enqueueWithin(trx, run).catch((error: unknown) => {
        throw refusalOf(error)
      }),
    )
  },
  refuse: (event, code) => refuseEvent(deps.db, event, code),
})
