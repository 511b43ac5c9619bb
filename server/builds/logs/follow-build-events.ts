import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { CurrentPrincipal } from '../../access/principal.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import type { StateChange, StateWatchers } from '../../state-watch/state-watchers.ts'
import { type BuildPath, readableBuild } from '../attempts/build-query-service.ts'

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
