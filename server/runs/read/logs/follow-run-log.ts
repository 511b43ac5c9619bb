import { logMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import type { CurrentPrincipal } from '../../../access/principal.ts'
import type { Following, LogFollowers, PositionedEvent } from '../../../live-logs/log-followers.ts'
import { type RunAddress, requireReadableRun } from '../../lookup/readable-run.ts'
import { findStoredLog, type RunLogDeps } from './read-run-log.ts'

export type FollowRunDeps = RunLogDeps & { followers: LogFollowers }

/**
 * Streams the log of a run from byte `start` while it is written, for who may still read it, until `signal` fires. Throws `not_found`
 * before the first event.
 */
export function followRunLog(
  deps: FollowRunDeps,
  current: CurrentPrincipal,
  { start, signal, ...address }: RunAddress & Following,
): Promise<AsyncGenerator<PositionedEvent>> {
  const read = async () => requireReadableRun(deps, await current(), 'run.read_log', address)
  const log = {
    read: async () => {
      const { id, company_id, state, terminal_at } = await read()
      return { id, company_id, state: state as RunState, hasEnded: terminal_at !== null }
    },
    stored: async () => findStoredLog(deps, await read()),
    maxBytes: logMaxBytes,
  }
  return deps.followers.follow(log, { start, signal })
}
