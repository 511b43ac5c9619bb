import { type RunState, runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { canTransition, isTerminal } from '@sandbox-jobs/contract/states/state-machine.ts'
import { stepsFrom, type Transition } from '../../server/db/transition.ts'
import { endTransition, type RunEnd } from '../../server/runs/drive/finish-run.ts'
import type { ClaimedRun, ClaimStatus, NextRun, TakenOverRun } from '../../server/runs/model/claimed-run.ts'
import {
  cancelledInQueue,
  cancelRequested,
  claimed,
  requeued,
  running,
} from '../../server/runs/model/run-transitions.ts'
import { steadySeconds } from '../../server/work/executor-statement.ts'
import { type Driver, heartbeatSeconds } from '../../server/work/heartbeat-statement.ts'
import type { Rules } from './rules.ts'
import {
  type BatchBounds,
  bytesPerRun,
  heldMicroOf,
  isBilled,
  isLive,
  overBound,
  passedOver,
  perSecondMicro,
  type RunsEnvironment,
  type SimulatedCharge,
  type SimulatedRun,
  type SimulatedRuns,
  type Submitted,
} from './simulated-runs.ts'

/**
 * A model of the table of runs with one statement after another, as in Postgres. The allowed transitions are production's
 * data (`run-transitions.ts`, `stepsFrom`, the state machine); only the statements are modelled. Every forbidden transition and
 * every row that a CHECK would refuse is reported to `onFault`.
 */
export class ModelledRuns implements SimulatedRuns {
  readonly rows = new Map<string, SimulatedRun>()
  readonly liveRuns = new Map<string, number>()
  countedBytes = 0
  readonly charges = new Map<string, SimulatedCharge>()
  committedMicro = 0
  /** Executors by the worker that drives them. */
  readonly #heartbeats = new Map<string, string>()
  readonly #rules: Rules
  readonly #environment: RunsEnvironment

  constructor(rules: Rules, environment: RunsEnvironment) {
    this.#rules = rules
    this.#environment = environment
  }

  submit(run: Submitted): void {
    this.rows.set(run.id, {
      ...run,
      state: runMachine.initial,
      fence: 0,
      worker: null,
      executor: null,
      sandboxId: null,
      leaseUntilMs: 0,
      claimedMs: 0,
      cancelRequested: false,
      end: undefined,
      contentStored: false,
    })
    this.charges.set(run.id, { heldMicro: heldMicroOf(run), costMicro: null })
    this.committedMicro += heldMicroOf(run)
  }

  /** As `cancelRun` does. */
  cancel(id: string): void {
    const row = this.#row(id)
    if (!isTerminal(runMachine, row.state)) row.cancelRequested = true
    if (this.#apply(cancelledInQueue(row))) {
      if (this.#rules.settles === 'with each end') this.settle(row)
      return
    }
    this.#apply(cancelRequested(row))
  }

  drive({ executor, worker }: Driver): void {
    for (const [other, driven] of this.#heartbeats) if (driven === executor) this.#heartbeats.delete(other)
    this.#heartbeats.set(worker, executor)
  }

  claimNext(
    { executor, worker }: Driver,
    mayStart: (row: SimulatedRun) => boolean = () => true,
  ): NextRun | undefined {
    const waiting = [...this.rows.values()].filter((row) => this.#rules.claimable(row) && mayStart(row))
    const next = this.#rules.fairTurns ? this.#inTurn(waiting) : waiting[0]
    const before = [...this.rows.values()].map(({ companyId, state }) => ({ companyId, state }))
    if (!next || !this.#apply({ ...claimed, id: next.id, companyId: next.companyId })) return undefined
    const isCompanyBusy = before.some((row) => row.companyId === next.companyId && isLive(row))
    const other = passedOver(before, next.companyId)
    if (other) this.#environment.onFault(`${next.companyId} got a place more than ${other}, which waits`)
    if (this.#rules.claimRaisesFence) next.fence += 1
    next.sandboxId = `${next.id}_${next.fence}`
    next.executor = executor
    next.claimedMs = this.#environment.now()
    this.#hold(next, worker)
    // The wait is measured and decides nothing.
    return { ...claimOf(next), waitedMs: 0, isCompanyBusy, isLast: waiting.length === 1 }
  }

  claimBatch(driver: Driver, { most, company }: BatchBounds): NextRun[] {
    const before = new Map(this.liveRuns)
    const counted = {
      all: (companyId: string) => this.#liveOf(companyId),
      'those before the batch': (companyId: string) => before.get(companyId) ?? 0,
      'those of its executor': (companyId: string) =>
        [...this.rows.values()].filter(
          (row) => row.companyId === companyId && row.executor === driver.executor && isLive(row),
        ).length,
    }[this.#rules.batchCounts]
    const runs: NextRun[] = []
    while (runs.length < most) {
      const run = this.claimNext(driver, ({ companyId }) => counted(companyId) < company)
      if (!run) break
      runs.push(run)
    }
    const over = runs.length > 0 && overBound(this.rows.values(), company)
    if (over) this.#environment.onFault(`${over} has more than ${company} runs at work`)
    return runs
  }

  /** Of the company with the fewest live runs the oldest. */
  #inTurn(waiting: readonly SimulatedRun[]): SimulatedRun | undefined {
    return waiting.toSorted((a, b) => this.#liveOf(a.companyId) - this.#liveOf(b.companyId))[0]
  }

  #liveOf(companyId: string): number {
    return this.liveRuns.get(companyId) ?? 0
  }

  takeOver(driver: Driver, owned: 'own' | 'expired', known: readonly string[]): TakenOverRun[] {
    const rows = [...this.rows.values()].filter((row) => {
      if (isTerminal(runMachine, row.state) || !this.#rules.takenOver(row) || known.includes(row.id))
        return false
      return owned === 'own'
        ? row.worker === driver.worker || this.#isLeft(row, driver)
        : row.executor !== driver.executor && this.#isExpired(row) && this.#mayTake(row, driver)
    })
    return rows.map((row) => {
      this.#checkTakeOver(row, driver)
      if (this.#rules.takeOverRaisesFence) row.fence += 1
      this.#hold(row, driver.worker)
      return { ...claimOf(row), claimedHere: row.executor === driver.executor || this.#rules.provesForOthers }
    })
  }

  /** The run of a worker whose heartbeat has ended, which the driver may take over. */
  #isLeft({ worker, executor }: SimulatedRun, driver: Driver): boolean {
    if (this.#rules.staysOnExecutor && executor !== driver.executor) return false
    return this.#silentMs(worker ?? '') >= heartbeatSeconds * 1000
  }

  /** How long ago the worker renewed its heartbeat, and the lease of its executor with it. */
  #silentMs(worker: string): number {
    if (!this.#heartbeats.has(worker)) return Number.POSITIVE_INFINITY
    return this.#environment.now() - this.#environment.lastBeatMs(worker)
  }

  /** As `hasSteadyLease` and `isAbandoned` of the driver and of the executor of the row. */
  #mayTake(row: SimulatedRun, { worker }: Driver): boolean {
    const { now, heldSinceMs } = this.#environment
    const isSteady =
      this.#silentMs(worker) < heartbeatSeconds * 1000 && now() - heldSinceMs(worker) > steadySeconds * 1000
    const [other = ''] = [...this.#heartbeats].find(([, executor]) => executor === row.executor) ?? []
    const isAbandoned = this.#silentMs(other) >= 2 * heartbeatSeconds * 1000
    return (isSteady || !this.#rules.waitsForOthers) && (isAbandoned || !this.#rules.leavesDriven)
  }

  #isExpired = ({ leaseUntilMs }: SimulatedRun): boolean => leaseUntilMs < this.#environment.now()

  #checkTakeOver(row: SimulatedRun, driver: Driver): void {
    const { isHolding, onFault } = this.#environment
    if (row.executor === driver.executor || row.worker === driver.worker) return
    if (isHolding(row.worker ?? '')) onFault(`${row.id} was taken from ${row.worker}, which is at work on it`)
    if (!this.#isExpired(row)) onFault(`${row.id} was taken from ${row.executor} before its lease expired`)
  }

  cancelRequestedAmong(ids: readonly string[]): string[] {
    if (!this.#rules.seesCancels) return []
    return ids.filter((id) => this.#row(id).state === 'cancel_requested')
  }

  finishedAmong(sandboxIds: readonly string[]): string[] {
    const live = new Set(
      [...this.rows.values()].filter((row) => !isTerminal(runMachine, row.state)).map((row) => row.sandboxId),
    )
    return sandboxIds.filter((id) => this.#rules.swept(live.has(id)))
  }

  markRunning(run: ClaimedRun): ClaimStatus {
    return this.#apply(running(run)) ? 'running' : this.#claimStatus(run)
  }

  requeue(run: ClaimedRun): ClaimStatus {
    if (!this.#apply(requeued(run))) return this.#claimStatus(run)
    const row = this.#row(run.id)
    if (this.#rules.clearsWorkerOnRequeue) row.worker = null
    this.#check(row)
    return 'queued'
  }

  finish(run: ClaimedRun, end: RunEnd, worker: string): boolean {
    const row = this.#row(run.id)
    const move = endTransition(run, end)
    const overridden = this.#rules.cancelWinsOverOwnEnd && row.state === 'cancel_requested'
    if (!this.#apply(overridden ? { ...move, to: 'cancelled' } : move)) return false
    if (row.worker !== worker)
      this.#environment.onFault(`${run.id} was ended by ${worker}, and ${row.worker} has it`)
    row.end = end
    row.contentStored = end.results !== undefined && this.#rules.storesContent
    if (this.#rules.countsKept === 'with the end') this.countKept(run)
    if (this.#rules.settles !== 'afterwards') this.settle(run)
    return true
  }

  countKept(run: ClaimedRun): void {
    if (this.#row(run.id).end?.results) this.countedBytes += bytesPerRun
  }

  /** As the trigger `settle_ended_run` does, by its minimum. */
  settle({ id }: Pick<ClaimedRun, 'id'>): void {
    const charge = this.charges.get(id)
    if (!charge || charge.costMicro !== null) return
    charge.costMicro = isBilled(this.#row(id)) ? perSecondMicro : 0
    this.committedMicro += charge.costMicro - charge.heldMicro
  }

  #hold(row: SimulatedRun, worker: string): void {
    row.worker = worker
    row.leaseUntilMs = this.#environment.now() + this.#rules.leaseSeconds(row.timeoutSeconds) * 1000
    this.#check(row)
  }

  /** `transition`, on a row of ours. */
  #apply(production: Transition<RunState>): boolean {
    const move = this.#rules.guard(production)
    const row = this.#row(move.id)
    if (move.fence !== undefined && move.fence !== row.fence) return false
    const steps = stepsFrom(move, row.state)
    for (const to of steps) {
      if (!canTransition(runMachine, row.state, to))
        this.#environment.onFault(`${row.id} went from ${row.state} to ${to}`)
      this.liveRuns.set(row.companyId, this.#liveOf(row.companyId) + this.#rules.countsLive(row.state, to))
      row.state = to
    }
    return steps.length > 0
  }

  /** The CHECKs of the table. */
  #check(row: SimulatedRun): void {
    if (row.state === 'queued' && row.worker !== null)
      this.#environment.onFault(`${row.id} is queued and held`)
  }

  #claimStatus(run: ClaimedRun): ClaimStatus {
    const row = this.#row(run.id)
    return row.fence === run.fence && !isTerminal(runMachine, row.state) ? row.state : 'lost'
  }

  #row(id: string): SimulatedRun {
    const row = this.rows.get(id)
    if (!row) throw new Error(`no run ${id}`)
    return row
  }
}

const claimOf = ({ id, companyId, state, fence, sandboxId }: SimulatedRun): ClaimedRun => ({
  id,
  companyId,
  state,
  fence,
  sandboxId: sandboxId ?? '',
})
