import { Type } from 'typebox'
import { about } from '../about.ts'
import {
  CancelledRuns,
  CancelRunsRequest,
  FoundRunList,
  foundRunsLimitMax,
  foundRunsOffsetMax,
} from '../resources/runs/found-run.ts'
import { runFilters } from '../resources/runs/run-filters.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const runs = `${extensionPrefix}/runs`

/** Any part of a long list of runs, and an end to all that match. */
export const foundRunRoutes = {
  findRuns: route({
    action: 'run.list_visible',
    method: 'GET',
    tag: 'Runs',
    path: runs,
    summary: 'List any part of the runs of every chatroom the caller may read, newest first',
    description: `With the filters of listVisibleRuns, but by \`offset\` and with fewer fields, for a list that is scrolled. The newest ${(foundRunsOffsetMax + foundRunsLimitMax).toLocaleString('en')} that match can be reached.`,
    query: Type.Object({
      ...runFilters,
      offset: about(
        'Runs to leave out at the start.',
        Type.Optional(Type.Integer({ minimum: 0, maximum: foundRunsOffsetMax, default: 0 })),
        500,
      ),
      limit: about(
        'Runs to return.',
        Type.Optional(Type.Integer({ minimum: 1, maximum: foundRunsLimitMax, default: foundRunsLimitMax })),
        500,
      ),
    }),
    response: FoundRunList,
    errors: ['usage_busy'],
  }),
  cancelRuns: route({
    action: 'run.cancel_visible',
    method: 'POST',
    tag: 'Runs',
    path: `${runs}/cancel`,
    summary: 'Cancel the runs that match and still go on',
    description:
      'Those of the queue first, the newest first, then those that have started, each as cancelRun does; runs whose cancellation ' +
      'was requested are not among them. One request cancels some hundred at most and says how many are left: repeat it, with ' +
      '`left` as `expected`, until none is. After a lost answer it may be repeated too.',
    body: CancelRunsRequest,
    response: CancelledRuns,
    errors: ['selection_changed', 'usage_busy'],
  }),
}
