import { CodedError } from '../../server/base/errors/coded-error.ts'
import type { WaitingEvent } from '../../server/custom-tables/triggers/row-events.ts'
import type { CompanySchedule } from '../../server/fairness/company-schedule-statement.ts'
import type { TriggerEvents } from '../../server/runs/triggers/start-triggered-runs.ts'
import type { Rules } from './rules.ts'
import type { SimulatedRuns, Submitted } from './simulated-runs.ts'
import type { Actor, Timeline } from './timeline.ts'

/** A change of a row that starts a run. */
export interface SimulatedEvent {
  id: string
  place: number
  companyId: string
  atMs: number
  program: Submitted['program']
  hasOutcome: boolean
  runs: string[]
}

interface TriggerParts {
  rules: Pick<Rules, 'startsEvents' | 'checksOutcome'>
  timeline: Timeline
  runs: SimulatedRuns
  onFault: (fault: string) => void
  /** A run was queued. */
  onQueued: () => void
}

/** More queued runs than this, and an event has to wait. */
const queuedMax = 2
const timeoutSeconds = 240

/** A model of the outbox of row events, with one statement after another. */
export class ModelledTriggers {
  readonly events = new Map<string, SimulatedEvent>()
  readonly #parts: TriggerParts

  constructor(parts: TriggerParts) {
    this.#parts = parts
  }

  /** The transaction of a change of a row. */
  record(companyId: string, program: Submitted['program']): void {
    const place = this.events.size + 1
    const id = `tev_${place}`
    const atMs = this.#parts.timeline.nowMs
    this.events.set(id, { id, place, companyId, atMs, program, hasOutcome: false, runs: [] })
  }

  get areHandled(): boolean {
    return [...this.events.values()].every(({ hasOutcome }) => hasOutcome)
  }

  /** The outbox as one worker uses it. */
  portOf(actor: Actor): TriggerEvents {
    const call = <T>(statement: () => T | Promise<T>) =>
      this.#parts.timeline.callDatabase<T>(actor, statement)
    return {
      listWaiting: (turns) => call(() => this.#waiting(turns)),
      start: async ({ id }) => {
        const { startsEvents } = this.#parts.rules
        if (startsEvents === 'with the outcome') return call(() => this.#start(id))
        const steps = [() => this.#queue(this.#event(id)), () => this.#recordOutcome(id)]
        if (startsEvents === 'after the outcome') steps.reverse()
        for (const step of steps) await call(step)
      },
      refuse: (event, code) => call(() => this.#parts.onFault(`${event.id} was refused: ${code}`)),
    }
  }

  #waiting({ afterCompany, perCompany }: CompanySchedule): WaitingEvent[] {
    const waiting = [...this.events.values()].filter(
      ({ hasOutcome, companyId }) => !hasOutcome && companyId > afterCompany,
    )
    const byCompany = Object.values(Object.groupBy(waiting, ({ companyId }) => companyId))
    return byCompany.flatMap((events = []) => events.slice(0, perCompany).map(rowOf))
  }

  /** The transaction that queues the run and records it. */
  async #start(id: string): Promise<void> {
    const event = this.#event(id)
    if (event.hasOutcome && this.#parts.rules.checksOutcome) return
    await this.#queue(event)
    event.hasOutcome = true
  }

  async #recordOutcome(id: string): Promise<void> {
    this.#event(id).hasOutcome = true
  }

  async #queue(event: SimulatedEvent): Promise<void> {
    const { runs, onFault, onQueued } = this.#parts
    const queued = [...runs.rows.values()].filter(({ state }) => state === 'queued').length
    if (queued > queuedMax) throw new CodedError('sandbox_queued_run_limit')
    const run = `run_e${event.place}${String(event.runs.length).padStart(31 - String(event.place).length, '0')}`
    event.runs.push(run)
    if (event.runs.length > 1) onFault(`${event.id} has ${event.runs.length} runs`)
    const before = [...this.events.values()].find(
      (other) => other.companyId === event.companyId && other.place < event.place && other.runs.length === 0,
    )
    if (before) onFault(`${event.id} has a run before ${before.id}`)
    await runs.submit({ id: run, companyId: event.companyId, program: event.program, timeoutSeconds })
    onQueued()
  }

  #event(id: string): SimulatedEvent {
    const event = this.events.get(id)
    if (!event) throw new Error(`no event ${id}`)
    return event
  }
}

const rowOf = ({ id, place, companyId, atMs }: SimulatedEvent): WaitingEvent => ({
  id,
  place,
  company_id: companyId,
  trigger_id: 'trg_0',
  row_id: 'row_0',
  row_version: place,
  event: 'update',
  values: {},
  byte_size: 2,
  chain: 1,
  outcome: null,
  run_id: null,
  error_code: null,
  created_at: new Date(atMs),
  handled_at: null,
})
