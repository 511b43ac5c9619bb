import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import type { Move } from '../db/transition.ts'
import { leaseSeconds } from '../runs/run-moves.ts'
import type { SimulatedRun } from './simulated-runs.ts'

/**
 * What the database and the host promise, each rule by itself, so that a planted bug is one rule that is not kept. What
 * the worker's own code decides is not here: it is the code itself.
 */
export interface Rules {
  /** Whom a statement may move; production's own moves, as they are. */
  guard(move: Move<RunState>): Move<RunState>
  claimable(run: SimulatedRun): boolean
  claimRaisesFence: boolean
  leaseSeconds(timeoutSeconds: number): number
  takenOver(run: SimulatedRun): boolean
  /** When a worker looks for runs in its name that it does not know of. */
  takesBack: 'when unsure' | 'at its start'
  /** Among what ended, what a sweep may remove. */
  swept(isLive: boolean): boolean
  hearsOfCancels: boolean
  clearsWorkerOnRequeue: boolean
  storesContent: boolean
  cancelWinsOverOwnEnd: boolean
  forbids: 'durably' | 'until restart' | 'never'
  startsOnce: boolean
  /** A ticket whose agent died before its word was no start. */
  startsByWord: boolean
  /** What was cut while the boot program read it began no job. */
  beginsWithWholeInput: boolean
  keepsResults: boolean
  /** Whether a worker may find that a run of another machine never started. */
  provesForOthers: boolean
  /** What was forbidden is remembered before it is on disk. */
  remembersFirst: boolean
  /** How long marks of forbidden and removed sandboxes are kept. */
  marksKeptMs: number
  /** The agent's own code: what it writes of marks is synced, */
  syncsMarks: boolean
  /** and a start that comes after marks may be gone is refused. */
  refusesLateStarts: boolean
  /** A claim serves the company with the fewest live runs. */
  fairTurns: boolean
  /** When the bytes that a run keeps are counted. */
  countsKept: 'with the end' | 'afterwards'
  stops: boolean
}

export const trueRules: Rules = {
  guard: (move) => move,
  claimable: (run) => run.state === 'queued',
  claimRaisesFence: true,
  leaseSeconds,
  takenOver: (run) => run.worker !== null && run.sandboxId !== null,
  takesBack: 'when unsure',
  swept: (isLive) => !isLive,
  hearsOfCancels: true,
  clearsWorkerOnRequeue: true,
  storesContent: true,
  cancelWinsOverOwnEnd: false,
  forbids: 'durably',
  startsOnce: true,
  startsByWord: true,
  beginsWithWholeInput: true,
  keepsResults: true,
  provesForOthers: false,
  remembersFirst: false,
  marksKeptMs: Number.POSITIVE_INFINITY,
  syncsMarks: true,
  refusesLateStarts: true,
  fairTurns: true,
  countsKept: 'with the end',
  stops: true,
}
