import { chatroomPageSizeDefault, menuPageMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import { readMenu } from '../../../tasks/menu/menu-service.ts'
import type { Mount } from '../../mount.ts'

export function mountMenuRoutes(mount: Mount, context: TaskContext): void {
  mount(chatroomRoutes.readMenu, ({ principal, params, query }) =>
    readMenu(context, principal, {
      chatroomId: params.cid,
      page_size: query.page_size ?? chatroomPageSizeDefault,
      page_token: query.page_token,
      maxBytes: menuPageMaxBytes,
    }),
  )
}
