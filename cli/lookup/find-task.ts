import type { Task } from '@sandbox-jobs/contract/resources/tasks/task.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

/** A task by name or id. */
export const findTask = async (session: Session, wanted: string): Promise<Task> =>
  pickNamed('task', wanted, await allPages((query) => session.client.call(allRoutes.listTasks, { query })))
