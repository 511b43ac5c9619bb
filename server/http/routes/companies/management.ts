import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import { foundRunRoutes } from '@sandbox-jobs/contract/routes/found-run-routes.ts'
import { managementRoutes } from '@sandbox-jobs/contract/routes/management-routes.ts'
import { taskOverviewRoutes } from '@sandbox-jobs/contract/routes/task-overview-routes.ts'
import type { Clock } from '../../../base/clock.ts'
import { cancelRuns } from '../../../runs/read/cancel-runs.ts'
import { findRunsAt } from '../../../runs/read/found-runs.ts'
import { countRuns } from '../../../runs/read/run-statistics.ts'
import { listTaskOverviews } from '../../../runs/read/task-overviews.ts'
import { listVisibleRuns } from '../../../runs/read/visible-runs.ts'
import type { RunServices } from '../../../runs/run-services.ts'
import { listRoomBindings, listTaskBindings } from '../../../tasks/bindings/binding-view.ts'
import { listRequestOf } from '../../../tasks/catalogue/list-request.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import type { Mount } from '../../mount.ts'

const listDefaults = { page_size: catalogPageSizeDefault, lifecycle: 'active' } as const

/** Queries over several rooms or tasks (contract part 2, "Capability and management queries"). */
export function mountManagementRoutes(
  mount: Mount,
  services: {
    tasks: TaskContext
    runs: Pick<RunServices, 'db' | 'directory' | 'policy' | 'pages'> & { clock: Clock }
  },
): void {
  mount(managementRoutes.listVisibleRuns, ({ principal, query }) =>
    listVisibleRuns(services.runs, principal, query),
  )
  mount(managementRoutes.countRuns, ({ principal, query }) => countRuns(services.runs, principal, query))
  mount(foundRunRoutes.findRuns, ({ principal, query }) => findRunsAt(services.runs, principal, query))
  mount(foundRunRoutes.cancelRuns, ({ principal, body }) => cancelRuns(services.runs, principal, body))
  mount(taskOverviewRoutes.listTaskOverviews, ({ principal, query }) =>
    listTaskOverviews(services.tasks, principal, listRequestOf(query, listDefaults)),
  )
  mount(managementRoutes.listTaskBindings, ({ principal, params, query }) =>
    listTaskBindings(services.tasks, principal, {
      taskId: params.id,
      request: listRequestOf(query, listDefaults),
    }),
  )
  mount(managementRoutes.listRoomBindings, ({ principal, params, query }) =>
    listRoomBindings(services.tasks, principal, {
      chatroomId: params.cid,
      request: listRequestOf(query, listDefaults),
    }),
  )
}
