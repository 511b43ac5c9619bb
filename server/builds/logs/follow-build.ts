import { Readable } from 'node:stream'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import { type CurrentPrincipal, downloaderOf, type Principal } from '../../access/principal.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import type { Following, LogFollowers, PositionedEvent } from '../../live-logs/log-followers.ts'
import type { StateChange, StateWatchers } from '../../state-watch/state-watchers.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import { managedAttempt } from '../attempts/build-details-service.ts'
import { buildLogMaxBytes } from '../attempts/build-limits.ts'
import { type BuildPath, readableBuild, readBuild } from '../attempts/build-query-service.ts'
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

export type FollowBuildEventsDeps = EnvironmentContext & { watchers: StateWatchers }

/**
 * The states of a build behind position `after`, until it ends, for who may still read the build. Throws `not_found` and 429
 * `watchers_busy` before the first.
 */
export function followBuildEvents(
  { db, watchers }: FollowBuildEventsDeps,
  current: CurrentPrincipal,
  { after, signal, ...path }: BuildPath & { after: number; signal: AbortSignal },
): Promise<AsyncGenerator<StateChange<BuildAttemptState>>> {
  const read = async () => {
    const principal = await current()
    const { attempt } = await readableBuild(db, principal, path)
    const { id, state, terminal_at } = attempt
    return {
      id,
      company_id: principal.companyId,
      state: state as BuildAttemptState,
      hasEnded: terminal_at !== null,
    }
  }
  return watchers.follow(read, { after, signal })
}

/**
 * Opens the bounded log of a build, for owner managers. It is stored when the builder has ended. For a refused archive or
 * Dockerfile it names the entry or line and the rule. 404 before that. Throws `downloads_busy`.
 */
export async function openBuildLog(
  context: EnvironmentContext & { downloads: Downloads },
  principal: Principal,
  { signal, ...path }: BuildPath & { signal: AbortSignal },
): Promise<Readable> {
  await managedEnvironment(context.db, principal, 'environment.inspect', path.environmentId)
  const attempt = await readBuild(context, principal, path)
  return context.downloads.stream({ ...downloaderOf(principal), signal }, () =>
    context.storage.get(buildLogKey(attempt.id)),
  )
}
