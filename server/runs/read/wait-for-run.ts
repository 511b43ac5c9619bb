import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import type { CurrentPrincipal, Principal } from '../../access/principal.ts'
import type { StateChange } from '../../state-watch/state-watchers.ts'
import { type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import type { ShownRun } from '../model/run-row.ts'
import type { RunServices } from '../run-services.ts'
import { extendRun } from './extended-runs.ts'
import { renderRun } from './render-run.ts'

export type WatchedRun = ShownRun & { state: RunState; hasEnded: boolean }

/** Reads a run, each time for whoever may still read it. */
const reader = (deps: RunServices, current: CurrentPrincipal, address: RunAddress) => async () => {
  const run = await requireReadableRun(deps, await current(), 'run.read', address)
  return { ...run, state: run.state as RunState, hasEnded: run.terminal_at !== null } satisfies WatchedRun
}

/** How long a request waits; `signal` fires when its sender has gone. */
export interface Waiting {
  seconds: number
  signal: AbortSignal
}

/** The run when it has ended or the time is over. Throws `not_found` and 429 `watchers_busy`. */
export const watchRun = (
  deps: RunServices,
  principal: Principal,
  { seconds, signal, ...address }: RunAddress & Waiting,
): Promise<WatchedRun> =>
  deps.watchers.wait(
    reader(deps, async () => principal, address),
    { withinMs: seconds * 1000, signal },
  )

/** The same as it is shown (contract part 3, D6). */
export async function waitForRun(
  deps: RunServices,
  principal: Principal,
  waiting: RunAddress & Waiting,
): Promise<ExtendedRun> {
  const run = await watchRun(deps, principal, waiting)
  return extendRun(deps.db, renderRun(run, await deps.runs.waitOf(run)))
}

/** The states of a run behind position `after`, for who may still read it, until it ends. Throws `not_found` and 429 `watchers_busy` before the first. */
export const followRunEvents = (
  deps: RunServices,
  current: CurrentPrincipal,
  { after, signal, ...address }: RunAddress & { after: number; signal: AbortSignal },
): Promise<AsyncGenerator<StateChange<RunState>>> =>
  deps.watchers.follow(reader(deps, current, address), { after, signal })
