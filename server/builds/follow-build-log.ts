import { Readable } from 'node:stream'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { EnvironmentContext } from '../environments/environment-context.ts'
import type { LogFollowers, PlacedEvent } from '../live-logs/log-followers.ts'
import type { Principal } from '../platform/principal.ts'
import { managedAttempt } from './build-details-service.ts'
import { buildLogKey } from './build-log-key.ts'
import type { BuildPath } from './build-query-service.ts'
import { buildLogMaxBytes } from './build-sandbox.ts'

export type FollowBuildDeps = EnvironmentContext & { followers: LogFollowers }

/**
 * The log of a build from byte `start` on while it is written, for owner managers; throws `not_found` before the first
 * event. A build that waits for its turn has nothing to show yet: its events come when it has begun.
 */
export function followBuildLog(
  deps: FollowBuildDeps,
  principal: Principal,
  { start, ...path }: BuildPath & { start: number },
): Promise<AsyncGenerator<PlacedEvent>> {
  const { storage, followers } = deps
  const log = {
    look: async () => {
      const { id, company_id, state, terminal_at } = await managedAttempt(deps.db, principal, path)
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
  return followers.follow(log, start)
}
