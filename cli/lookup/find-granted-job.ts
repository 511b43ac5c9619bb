import type { GrantedJob } from '@sandbox-jobs/contract/resources/tasks/granted-job.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

/** A task that is shared with a room, by its name or id. */
export async function findGrantedJob({ client }: Session, cid: string, wanted: string): Promise<GrantedJob> {
  const items = await allPages((query) => client.call(allRoutes.listGrantedJobs, { params: { cid }, query }))
  const named = items.map((item) => ({ ...item, id: item.task_id, name: item.task_name }))
  const { id } = pickNamed('task', wanted, named, 'that is shared with the room')
  return items.find((item) => item.task_id === id) as GrantedJob
}
