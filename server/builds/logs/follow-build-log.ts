import { Readable } from 'node:stream'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { CurrentPrincipal } from '../../access/principal.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import type { Following, LogFollowers, PositionedEvent } from '../../live-logs/log-followers.ts'
import { buildLogMaxBytes } from '../admission/build-limits.ts'
import { managedAttempt } from '../attempts/build-details-service.ts'
import type { BuildPath } from '../attempts/build-query-service.ts'
import { buildLogKey } from './build-log-store.ts'

export type FollowBuildDeps = EnvironmentContext & { followers: LogFollowers }

/**
 * Follows the log of a build from byte `start` while it is written, until `signal` fires, for who still manages it. Throws `not_found`
 * before the first event. The events of a queued build start when the build does.
 */
export function followBuildLog(
  deps: FollowBuildDeps,
  current: CurrentPrincipal,
  { start, signal, ...path }: BuildPath & Following,
): Promise<AsyncGenerator<PositionedEvent>> {
  const { storage, followers } = deps
  const log = {
    read: async () => {
      const { id, company_id, state, terminal_at } = await managedAttempt(deps.db, await current(), path)
      return { id, company_id, state: state as BuildAttemptState, hasEnded: terminal_at !== null }
    },
    stored: async () => {
      const key = buildLogKey(path.attemptId)
      const byteSize = await storage.size(key)
      if (byteSize === undefined) return undefined
      const open = async ({ start: from }: { start: number }) =>
        from < byteSize ? storage.get(key, { start: from, end: byteSize - 1 }) : Readable.from([])
      return { byteSize, open }
    },
    maxBytes: buildLogMaxBytes,
  }
  return followers.follow(log, { start, signal })
}
