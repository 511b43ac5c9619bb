import { type RunState, runMachine, type TerminalClass } from '@sandbox-jobs/contract/states/run-states.ts'
import type { Move, Moving } from '../db/transition.ts'

/*
 * Who may move a run from where, apart from the statements that do it: `transition` compiles a move to SQL, and the
 * simulation (`server/simulation`) holds the same moves against a database of its own.
 */

type RunMove = Move<RunState>
type Owned = Pick<Held, 'id' | 'companyId'>
interface Held {
  id: string
  companyId: string
  fence: number
}

const move = (
  { id, companyId }: Owned,
  to: RunState,
  guard: Pick<RunMove, 'from' | 'fence'> = {},
): RunMove => ({
  table: 'runs',
  machine: runMachine,
  id,
  companyId,
  to,
  ...guard,
})

/** By a worker that has locked the row. */
export const claimed: Moving<RunState> = {
  table: 'runs',
  machine: runMachine,
  to: 'starting',
  from: ['queued'],
}

export const running = (run: Held): RunMove => move(run, 'running', { fence: run.fence })

/** Given back by its holder, who has proved that it never started. */
export const givenBack = (run: Held): RunMove => move(run, 'queued', { fence: run.fence })

export const ended = (run: Held, how: TerminalClass): RunMove => move(run, how, { fence: run.fence })

/** The same of a run whose program was started, whether or not anybody had time to say so. */
export const endedAfterStart = (run: Held, how: TerminalClass): RunMove => ({
  ...ended(run, how),
  through: ['running'],
})

/** Asked by a person, who holds nothing: a run in a worker's hands is its worker's to end. */
export const cancelAsked = (run: Owned): RunMove =>
  move(run, 'cancel_requested', { from: ['starting', 'running'] })

/** Nobody holds a queued run, so it may end at once. */
export const cancelledInQueue = (run: Owned): RunMove => move(run, 'cancelled', { from: ['queued'] })

/** Time beyond a run's own deadline in which its worker places the image, starts it and stores what it left. */
const leaseGraceSeconds = 900

/** A lease outlives everything its holder may do: a run is only taken from a worker that is gone. */
export const leaseSeconds = (timeoutSeconds: number): number => timeoutSeconds + leaseGraceSeconds
