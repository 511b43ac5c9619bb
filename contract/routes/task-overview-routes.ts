import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import { TaskOverviewList } from '../resources/tasks/task-overview.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

/** Tasks, for the pages of their authors. */
export const taskOverviewRoutes = {
  listTaskOverviews: route({
    action: 'task.list',
    tag: 'Tasks',
    method: 'GET',
    path: `${extensionPrefix}/task-overviews`,
    summary: 'List the tasks that the caller manages or borrows, with how much they are used',
    description:
      'As listTasks. Rooms are counted for managers of the task, runs and failures for who may read its history (listTaskRuns).',
    query: listQuery(catalogPageSizeDefault),
    response: TaskOverviewList,
    errors: [],
  }),
}
