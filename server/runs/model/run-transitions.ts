import { type RunState, runMachine, type TerminalClass } from '@sandbox-jobs/contract/states/run-states.ts'
import type { Transition, TransitionSpec } from '../../db/transition.ts'

/*
 * The transitions of a run and their guards, separate from the statements: `transition` compiles them to SQL, and the
 * simulation (`proofs/simulation`) applies the same transitions to a modelled database.
 */

type RunTransition = Transition<RunState>
type Owned = Pick<Held, 'id' | 'companyId'>
interface Held {
  id: string
  companyId: string
  fence: number
}

const move = (
  { id, companyId }: Owned,
  to: RunState,
  guard: Pick<RunTransition, 'from' | 'fence'> = {},
): RunTransition => ({
  table: 'runs',
  machine: runMachine,
  id,
  companyId,
  to,
  ...guard,
})

/** By a worker that holds the row lock. */
export const claimed: TransitionSpec<RunState> = {
  table: 'runs',
  machine: runMachine,
  to: 'starting',
  from: ['queued'],
}

export const running = (run: Held): RunTransition => move(run, 'running', { fence: run.fence })

/** Queued again by its holder, after proof that it never started. */
export const requeued = (run: Held): RunTransition => move(run, 'queued', { fence: run.fence })

export const ended = (run: Held, how: TerminalClass): RunTransition => move(run, how, { fence: run.fence })

/** `ended` for a run whose program was started, even if `running` was not written yet. */
export const endedAfterStart = (run: Held, how: TerminalClass): RunTransition => ({
  ...ended(run, how),
  through: ['running'],
})

/** Requested by a user, who has no claim: only the worker that holds a run ends it. */
export const cancelRequested = (run: Owned): RunTransition =>
  move(run, 'cancel_requested', { from: ['starting', 'running'] })

/** A queued run has no holder, so it may end at once. */
export const cancelledInQueue = (run: Owned): RunTransition => move(run, 'cancelled', { from: ['queued'] })

/** Time in addition to the timeout for installing the image, starting the sandbox and storing the results. */
const leaseGraceSeconds = 900

/** A lease is longer than anything its holder may do: a run is only taken over from a worker that is gone. */
export const leaseSeconds = (timeoutSeconds: number): number => timeoutSeconds + leaseGraceSeconds
