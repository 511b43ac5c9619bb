import type { LiveEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { readAgain } from '../data/api/queries.ts'
import { followLiveEvents } from '../data/live/live-stream.ts'
import { readInboxAgain } from '../data/person/inbox.ts'
import { me } from '../data/person/me.ts'
import { showChangedRun } from '../data/runs/changed-run.ts'
import { countNewRunsAgain } from '../data/runs/found-runs.ts'
import { spaced } from '../data/spaced.ts'

const pauseMs = 1000
/** Answers that each run of the person's rooms may change. */
const changedByRuns = [allRoutes.listVisibleRuns, allRoutes.listRoomOverviews, allRoutes.estimateRun]

/** Answers that a change of what rooms offer, or of their secrets, may change. */
const changedByMenus = [
  allRoutes.readMenu,
  allRoutes.listGrantedJobs,
  allRoutes.listSecrets,
  allRoutes.estimateRun,
]
/** Answers that each stage and state of a build may change. */
const changedByBuilds = [
  allRoutes.readBuild,
  allRoutes.readBuildDetails,
  allRoutes.listBuilds,
  allRoutes.readEnvironmentVersion,
  allRoutes.listEnvironmentVersions,
]
const ofInbox = new Set<LiveEvent['kind']>(['inbox', 'notification', 'resync'])

/**
 * Refetches the answers that an event changes: those of runs, menus and builds at once, then at most once a second. The state of a run
 * is shown at once always.
 */
export function updateWithEvents(queries: QueryClient): void {
  const readRunsAgain = spaced(() => {
    void readAgain(queries, changedByRuns)
    void countNewRunsAgain(queries)
  }, pauseMs)
  const readMenusAgain = spaced(() => void readAgain(queries, changedByMenus), pauseMs)
  const readBuildsAgain = spaced(() => void readAgain(queries, changedByBuilds), pauseMs)
  function onEvent(event: LiveEvent): void {
    if (event.kind === 'run') showChangedRun(queries, event)
    if (event.kind === 'run' || event.kind === 'resync') readRunsAgain()
    if (event.kind === 'resync') void readAgain(queries, [allRoutes.findRuns])
    if (event.kind === 'menu' || event.kind === 'resync') readMenusAgain()
    if (event.kind === 'build' || event.kind === 'resync') readBuildsAgain()
    if (ofInbox.has(event.kind)) void readInboxAgain(queries)
    if (event.kind === 'service') {
      queries.setQueryData(
        me.queryKey,
        (account) => account && { ...account, sandbox_enabled: event.enabled },
      )
    }
  }
  followLiveEvents({
    onEvent,
    // The cache of answers notes that nobody is signed in.
    checkSignIn: () =>
      queries.fetchQuery({ ...me, staleTime: 0 }).then(
        () => undefined,
        () => undefined,
      ),
  })
}
