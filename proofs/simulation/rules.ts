import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import type { Transition } from '../../server/db/transition.ts'
import { leaseSeconds } from '../../server/runs/model/run-transitions.ts'
import { isLive, type SimulatedRun } from './simulated-runs.ts'

/**
 * The guarantees of database and host, one rule each, so that a planted bug breaks one rule. The worker's decisions
 * are not rules: the simulation runs its production code.
 */
export interface Rules {
  /** The transitions of production, unchanged unless a bug is planted. */
  guard(move: Transition<RunState>): Transition<RunState>
  claimable(run: SimulatedRun): boolean
  claimRaisesFence: boolean
  leaseSeconds(timeoutSeconds: number): number
  takenOver(run: SimulatedRun): boolean
  /** A worker whose heartbeat has ended loses its runs to workers of its executor only. */
  staysOnExecutor: boolean
  /** A run with an expired lease is left to a worker that drives its executor. */
  leavesDriven: boolean
  /** A worker takes over runs of others only when it has held its own lease for a while. */
  waitsForOthers: boolean
  takeOverRaisesFence: boolean
  /** When a worker queries for runs in its name that it does not know. */
  takesBack: 'when unsure' | 'at its start'
  /** Which ended sandboxes a sweep may remove. */
  swept(isLive: boolean): boolean
  seesCancels: boolean
  clearsWorkerOnRequeue: boolean
  storesContent: boolean
  cancelWinsOverOwnEnd: boolean
  forbids: 'durably' | 'until restart' | 'never'
  startsOnce: boolean
  /** A start record without a start signal is not a start. */
  startsBySignal: boolean
  /** If the input is cut while the boot program reads it, the job does not start. */
  startsAfterWholeInput: boolean
  keepsResults: boolean
  /** Whether a worker may declare that a run of another executor never started. */
  provesForOthers: boolean
  /** A mark is remembered before it is on disk. */
  remembersFirst: boolean
  /** How long marks of forbidden and removed sandboxes are kept. */
  marksKeptMs: number
  /** For the agent's code: written marks are synced. */
  syncsMarks: boolean
  /** For the agent's code: a start is refused if its marks may have been dropped. */
  refusesLateStarts: boolean
  /** A claim serves the company with the fewest live runs. */
  fairTurns: boolean
  /** Which live runs of a company a batch compares with its bound. */
  batchCounts: 'all' | 'those before the batch' | 'those of its executor'
  /** How much a move adds to the number of the company's live runs, by which claims choose. */
  countsLive(from: RunState, to: RunState): number
  /** When the stored bytes of a run are counted. */
  countsKept: 'with the end' | 'afterwards'
  /** When the charge of a run is settled. */
  settles: 'with each end' | 'with the end by a worker' | 'afterwards'
  stops: boolean
  /** When the run of a row event is queued: in the statement that records the outcome of the event, or in another one. */
  startsEvents: 'with the outcome' | 'before the outcome' | 'after the outcome'
  /** An event that has an outcome gets no other run. */
  checksOutcome: boolean
}

export const trueRules: Rules = {
  guard: (move) => move,
  claimable: (run) => run.state === 'queued',
  claimRaisesFence: true,
  leaseSeconds,
  takenOver: (run) => run.worker !== null && run.sandboxId !== null,
  staysOnExecutor: true,
  leavesDriven: true,
  waitsForOthers: true,
  takeOverRaisesFence: true,
  takesBack: 'when unsure',
  swept: (isLive) => !isLive,
  seesCancels: true,
  clearsWorkerOnRequeue: true,
  storesContent: true,
  cancelWinsOverOwnEnd: false,
  forbids: 'durably',
  startsOnce: true,
  startsBySignal: true,
  startsAfterWholeInput: true,
  keepsResults: true,
  provesForOthers: false,
  remembersFirst: false,
  marksKeptMs: Number.POSITIVE_INFINITY,
  syncsMarks: true,
  refusesLateStarts: true,
  fairTurns: true,
  countsLive: (from, to) => Number(isLive({ state: to })) - Number(isLive({ state: from })),
  countsKept: 'with the end',
  settles: 'with each end',
  batchCounts: 'all',
  stops: true,
  startsEvents: 'with the outcome',
  checksOutcome: true,
}
