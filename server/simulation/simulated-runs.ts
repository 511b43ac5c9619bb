import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal } from '@sandbox-jobs/contract/states/state-machine.ts'
import type { ClaimedRun, NextRun, TakenRun } from '../runs/claim-store.ts'
import type { Standing } from '../runs/claimed-run-store.ts'
import type { RunEnd } from '../runs/finish-run.ts'

/** What a job does when it is let. */
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
  /** That claimed it. */
  machine: string | null
  sandboxId: string | null
  leaseUntilMs: number
  /** Of its latest claim. */
  claimedMs: number
  timeoutSeconds: number
  cancelAsked: boolean
  program: Program
  end: RunEnd | undefined
  contentStored: boolean
}

export type Submitted = Pick<SimulatedRun, 'id' | 'companyId' | 'program' | 'timeoutSeconds'>

type Soon<T> = T | Promise<T>

/** The table of runs, as workers and tenants change it, one statement after another: a model, or Postgres. */
export interface SimulatedRuns {
  /** As they are after the last statement. */
  readonly rows: ReadonlyMap<string, SimulatedRun>
  /** Bytes that runs keep, as they are counted where they end. */
  readonly countedBytes: number
  submit(run: Submitted): Soon<void>
  cancel(id: string): Soon<void>
  claimNext(worker: string): Soon<NextRun | undefined>
  takeOver(worker: string, owned: 'own' | 'expired', known: readonly string[]): Soon<TakenRun[]>
  cancelRequestedAmong(ids: readonly string[]): Soon<string[]>
  finishedAmong(sandboxIds: readonly string[]): Soon<string[]>
  markRunning(run: ClaimedRun): Soon<Standing>
  requeue(run: ClaimedRun): Soon<Standing>
  finish(run: ClaimedRun, end: RunEnd): Soon<boolean>
  /** For the planted bug that counts in a statement of its own. */
  countKept(run: ClaimedRun): Soon<void>
}

export interface Surroundings {
  now: () => number
  onFault: (fault: string) => void
  /** True while nothing keeps that worker from its runs. */
  isHolding: (worker: string) => boolean
}

/** What each run that stored its content keeps. */
export const bytesPerRun = 1000

export const isLive = ({ state }: SimulatedRun): boolean =>
  state !== 'queued' && !isTerminal(runMachine, state)

/** Says who was passed over when a run of `companyId` was claimed from these rows: a company that waits and has fewer. */
export function passedOver(
  rows: Iterable<Pick<SimulatedRun, 'companyId' | 'state'>>,
  companyId: string,
): string | undefined {
  const live = new Map<string, number>()
  const waiting = new Set<string>()
  for (const row of rows) {
    if (row.state === 'queued') waiting.add(row.companyId)
    else if (!isTerminal(runMachine, row.state)) live.set(row.companyId, (live.get(row.companyId) ?? 0) + 1)
  }
  const own = live.get(companyId) ?? 0
  return [...waiting].find((other) => (live.get(other) ?? 0) < own)
}
