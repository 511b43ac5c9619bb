import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal } from '@sandbox-jobs/contract/states/state-machine.ts'
import type { RunEnd } from '../../server/runs/drive/finish-run.ts'
import type { ClaimedRun, ClaimStatus, NextRun, TakenOverRun } from '../../server/runs/model/claimed-run.ts'
import type { Driver } from '../../server/work/heartbeat-statement.ts'

/** The program of a job. */
export interface Program {
  seconds: number
  exitCode: number
}

export interface SimulatedRun {
  id: string
  companyId: string
  state: RunState
  fence: number
  worker: string | null
  /** The one for which it was claimed. */
  executor: string | null
  sandboxId: string | null
  leaseUntilMs: number
  /** Time of the latest claim. */
  claimedMs: number
  timeoutSeconds: number
  cancelRequested: boolean
  program: Program
  end: RunEnd | undefined
  contentStored: boolean
}

export type Submitted = Pick<SimulatedRun, 'id' | 'companyId' | 'program' | 'timeoutSeconds'>

type MaybePromise<T> = T | Promise<T>

/** The amount that a run reserves; its cost is null until it is settled. */
export interface SimulatedCharge {
  heldMicro: number
  costMicro: number | null
}

/** The hold of each run, and the cost of each that is billed, in the model. */
export const heldMicroOf = ({ timeoutSeconds }: Pick<SimulatedRun, 'timeoutSeconds'>): number =>
  (timeoutSeconds + finalizationSeconds) * perSecondMicro
export const finalizationSeconds = 60
export const perSecondMicro = 7

/** Whether the run costs anything: its program started, and the platform did not fail it. */
export const isBilled = ({ state, end }: SimulatedRun): boolean =>
  state !== 'platform_failed' && Boolean(end?.exit?.startedAt)

/** Bounds of a batch. */
export interface BatchBounds {
  /** Runs of the batch. */
  most: number
  /** Live runs of a company. */
  company: number
}

/** The table of runs, as workers and tenants change it, one statement after another: a model, or Postgres. */
export interface SimulatedRuns {
  /** The rows after the last statement. */
  readonly rows: ReadonlyMap<string, SimulatedRun>
  /** Counted bytes of stored results. */
  readonly countedBytes: number
  /** By run. */
  readonly charges: ReadonlyMap<string, SimulatedCharge>
  /** The number of live runs of each company, as claims read it. */
  readonly liveRuns: ReadonlyMap<string, number>
  /** The sum reserved and spent of all budgets. */
  readonly committedMicro: number
  submit(run: Submitted): MaybePromise<void>
  cancel(id: string): MaybePromise<void>
  /** A worker drives its executor from then on: the heartbeats of earlier ones end. */
  drive(driver: Driver): MaybePromise<void>
  claimNext(driver: Driver): MaybePromise<NextRun | undefined>
  claimBatch(driver: Driver, bounds: BatchBounds): MaybePromise<NextRun[]>
  takeOver(driver: Driver, owned: 'own' | 'expired', known: readonly string[]): MaybePromise<TakenOverRun[]>
  cancelRequestedAmong(ids: readonly string[]): MaybePromise<string[]>
  finishedAmong(sandboxIds: readonly string[]): MaybePromise<string[]>
  markRunning(run: ClaimedRun): MaybePromise<ClaimStatus>
  requeue(run: ClaimedRun): MaybePromise<ClaimStatus>
  finish(run: ClaimedRun, end: RunEnd, worker: string): MaybePromise<boolean>
  /** For the planted bug that counts in a separate statement. */
  countKept(run: ClaimedRun): MaybePromise<void>
  /** For the planted bug that settles in a separate statement. */
  settle(run: ClaimedRun): MaybePromise<void>
}

export interface RunsEnvironment {
  now: () => number
  onFault: (fault: string) => void
  /** Whether the worker is alive and was never frozen. */
  isHolding: (worker: string) => boolean
  /** Its latest heartbeat, while no later worker of its executor ended it. */
  lastBeatMs: (worker: string) => number
  /** Since when it renews the lease of its executor without a gap. */
  heldSinceMs: (worker: string) => number
}

/** Stored bytes of each run with results. */
export const bytesPerRun = 1000

export const isLive = ({ state }: Pick<SimulatedRun, 'state'>): boolean =>
  state !== 'queued' && !isTerminal(runMachine, state)

type Counted = Pick<SimulatedRun, 'companyId' | 'state'>

const liveByCompany = (rows: Iterable<Counted>): Map<string, number> => {
  const live = new Map<string, number>()
  for (const row of rows) if (isLive(row)) live.set(row.companyId, (live.get(row.companyId) ?? 0) + 1)
  return live
}

/** Returns a company that has more live runs than its bound. */
export const overBound = (rows: Iterable<Counted>, bound: number): string | undefined =>
  [...liveByCompany(rows)].find(([, live]) => live > bound)?.[0]

/** Returns a waiting company with fewer live runs than `companyId`, whose run was claimed from these rows. */
export function passedOver(rows: readonly Counted[], companyId: string): string | undefined {
  const live = liveByCompany(rows)
  const own = live.get(companyId) ?? 0
  const waiting = rows.filter(({ state }) => state === 'queued')
  return waiting.find((other) => (live.get(other.companyId) ?? 0) < own)?.companyId
}
