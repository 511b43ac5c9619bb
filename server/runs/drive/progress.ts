import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import type { StartChange } from '../parts/run-part.ts'
import type { LeftParts, Part } from '../parts/run-parts.ts'
import type { PreparedRun } from '../prepare/prepare-run.ts'
import type { Collected } from '../results/collect-run.ts'
import type { Drive } from './drive.ts'
import type { RunEnd } from './finish-run.ts'

/** The stored results of a run, or why they were not stored: an internal failure or the storage quota. */
export type Results = (Collected & { parts: LeftParts }) | 'lost' | 'no_space'

/** Things that must still be removed after the end. */
export interface Residue {
  sandbox: boolean
  /** Results may be partly stored without a row that refers to them. */
  results: boolean
  /** Parts to release. */
  parts: readonly Part[]
}

export const nothingLeft: Residue = { sandbox: false, results: false, parts: [] }
export const sandboxLeft: Residue = { ...nothingLeft, sandbox: true }

/** The steps of a run and the data that each one starts with. */
interface StepData {
  claimed: unknown
  prepared: PreparedRun & { kind: 'sandbox' }
  /** The sandbox may have been started. If it was not, the run is queued again or ends. */
  startUnknown: { otherwise: StartChange }
  started: unknown
  /** `running` needs no further report. */
  waiting: unknown
  exited: { exit: SandboxExit }
  collected: { exit: SandboxExit; results: Results }
  decided: { end: RunEnd; residue: Residue }
  finished: { residue: Residue }
}

export type Progress<At extends keyof StepData = keyof StepData> = { [A in At]: { at: A } & StepData[A] }[At]

/** Nothing is left to do for the run in this worker. */
export const over = { at: 'over' } as const

/** Takes a run to its next step. Must be safe to repeat, because the worker can die at any point of it. */
export type RunStep<At extends keyof StepData> = (
  drive: Drive,
  from: Progress<At>,
) => Promise<Progress | typeof over>

export type RunSteps = { readonly [At in keyof StepData]: RunStep<At> }
