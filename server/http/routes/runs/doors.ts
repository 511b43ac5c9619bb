import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import { doorRoutes } from '@sandbox-jobs/contract/routes/door-routes.ts'
import { createDoor, type DoorDeps, deleteDoor, listDoors, readDoor } from '../../../doors/catalogue/doors.ts'
import type { Mount } from '../../mount.ts'

/** Doors of a room, for its managers. The requests of platforms that come by them are served by `server/http/doors`. */
export function mountDoorRoutes(mount: Mount, deps: DoorDeps): void {
  mount(doorRoutes.listDoors, async ({ principal, params }) => {
    const items = await listDoors(deps, principal, params.cid)
    return { items, page_size: pageSizeMax, next_page_token: null }
  })
  mount(doorRoutes.createDoor, ({ principal, params, body }) =>
    createDoor(deps, principal, { chatroomId: params.cid, request: body }),
  )
  mount(doorRoutes.readDoor, ({ principal, params }) =>
    readDoor(deps, principal, { chatroomId: params.cid, doorId: params.did }),
  )
  mount(doorRoutes.deleteDoor, ({ principal, params }) =>
    deleteDoor(deps, principal, { chatroomId: params.cid, doorId: params.did }),
  )
}
