import { historyRoutes } from '@sandbox-jobs/contract/routes/history-routes.ts'
import type { Database } from '../../../db/database.ts'
import { countTaskRuns, listTaskRuns } from '../../../runs/history/task-history.ts'
import type { Mount } from '../../mount.ts'

/** The runs of a task in every room (contract part 2, "Tasks, versions, shares"). */
export function mountTaskHistoryRoutes(mount: Mount, services: { db: Database }): void {
  mount(historyRoutes.listTaskRuns, ({ principal, params, query }) =>
    listTaskRuns(services, principal, params.id, query),
  )
  mount(historyRoutes.countTaskRuns, ({ principal, params, query }) =>
    countTaskRuns(services, principal, params.id, query),
  )
}
