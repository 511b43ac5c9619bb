import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

/** A task in the menu of a room, by its name or id. */
export async function findMenuItem({ client }: Session, cid: string, wanted: string): Promise<MenuItem> {
  const items = await allPages((query) => client.call(allRoutes.readMenu, { params: { cid }, query }))
  const named = items.map((item) => ({ ...item, id: item.task_id, name: item.task_name }))
  return pickNamed('task', wanted, named, 'in the menu of the room')
}
