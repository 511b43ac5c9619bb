import {
  countedRunsDays,
  countedRunsMax,
  type TaskOverviewList,
} from '@sandbox-jobs/contract/resources/tasks/task-overview.ts'
import { may, ownCompany, ownedBy } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { dayMs } from '../../base/clock.ts'
import type { ListRequest } from '../../tasks/catalogue/list-request.ts'
import type { TaskContext } from '../../tasks/catalogue/task-access.ts'
import { listVisibleTasks } from '../../tasks/catalogue/task-service.ts'
import { findTaskUse } from './task-overview-store.ts'

const unused = { published_version_number: null, rooms: 0, runs: 0, failures: 0 }

/** The tasks that the principal manages or borrows, and their use as far as the principal may see it. */
export async function listTaskOverviews(
  context: TaskContext,
  principal: Principal,
  request: ListRequest,
): Promise<TaskOverviewList> {
  const page = await listVisibleTasks(context, principal, request, 'task-overviews')
  const used = await findTaskUse(context.db, {
    companyId: principal.companyId,
    taskIds: page.items.map(({ id }) => id),
    since: new Date(context.clock.now().getTime() - countedRunsDays * dayMs),
    counted: countedRunsMax,
  })
  const byTask = new Map(used.map(({ id, ...use }) => [id, use]))
  const seesRuns = may(principal, 'task.read_history', ownCompany)
  const items = page.items.map((task) => {
    const { rooms, runs, failures, published_version_number } = byTask.get(task.id) ?? unused
    return {
      ...task,
      published_version_number,
      rooms: may(principal, 'task.read_source', ownedBy(task)) ? rooms : null,
      runs: seesRuns ? runs : null,
      failures: seesRuns ? failures : null,
    }
  })
  return { ...page, items }
}
