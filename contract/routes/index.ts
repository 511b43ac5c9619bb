import { accountRoutes } from './account-routes.ts'
import { agentRoutes } from './agent-routes.ts'
import { approvalRoutes } from './approval-routes.ts'
import { auditRoutes } from './audit-routes.ts'
import { baseImageRoutes } from './base-image-routes.ts'
import { bindingRoutes } from './binding-routes.ts'
import { chatroomJobsRoutes } from './chatroom-jobs-routes.ts'
import { chatroomRoutes } from './chatroom-routes.ts'
import { contextUploadRoutes } from './context-upload-routes.ts'
import { doorRoutes } from './door-routes.ts'
import { environmentOverviewRoutes } from './environment-overview-routes.ts'
import { environmentRoutes } from './environment-routes.ts'
import { estimateRoutes } from './estimate-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { extendedRunRoutes } from './extended-run-routes.ts'
import { extensionRoutes } from './extension-routes.ts'
import { findingRoutes } from './finding-routes.ts'
import { foundRunRoutes } from './found-run-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { inboxRoutes } from './inbox-routes.ts'
import { inputFileRoutes } from './input-file-routes.ts'
import { invitationRoutes } from './invitation-routes.ts'
import { linkRoutes } from './link-routes.ts'
import { managementRoutes } from './management-routes.ts'
import { notificationRoutes } from './notification-routes.ts'
import { outputCallbackRoutes } from './output-callback-routes.ts'
import { ownAccountRoutes } from './own-account-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { platformRoutes } from './platform-routes.ts'
import { proposalRoutes } from './proposal-routes.ts'
import { publicLinkRoutes } from './public-link-routes.ts'
import { resultRoutes } from './result-routes.ts'
import { runInputRoutes } from './run-input-routes.ts'
import { runRoutes } from './run-routes.ts'
import { scheduleRoutes } from './schedule-routes.ts'
import { scriptRoutes } from './script-routes.ts'
import { searchRoutes } from './search-routes.ts'
import { secretRoutes } from './secret-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { settingsRoutes } from './settings-routes.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { tableCommandRoutes } from './table-command-routes.ts'
import { tableRoutes } from './table-routes.ts'
import { tableRowRoutes } from './table-row-routes.ts'
import { tableTriggerRoutes } from './table-trigger-routes.ts'
import { taskOverviewRoutes } from './task-overview-routes.ts'
import { taskRoutes } from './task-routes.ts'
import { usageRoutes } from './usage-routes.ts'
import { userRoutes } from './user-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** Every route by its name, which is its operation id. */
export const allRoutes = {
  ...accountRoutes,
  ...signInRoutes,
  ...ownAccountRoutes,
  ...peopleRoutes,
  ...runInputRoutes,
  ...estimateRoutes,
  ...inboxRoutes,
  ...searchRoutes,
  ...environmentRoutes,
  ...environmentOverviewRoutes,
  ...contextUploadRoutes,
  ...taskRoutes,
  ...taskOverviewRoutes,
  ...scriptRoutes,
  ...chatroomRoutes,
  ...runRoutes,
  ...publicLinkRoutes,
  ...platformRoutes,
  ...userRoutes,
  ...invitationRoutes,
  ...bindingRoutes,
  ...chatroomJobsRoutes,
  ...historyRoutes,
  ...managementRoutes,
  ...foundRunRoutes,
  ...secretRoutes,
  ...approvalRoutes,
  ...settingsRoutes,
  ...extensionRoutes,
  ...baseImageRoutes,
  ...findingRoutes,
  ...agentRoutes,
  ...proposalRoutes,
  ...resultRoutes,
  ...linkRoutes,
  ...inputFileRoutes,
  ...extendedRunRoutes,
  ...sessionRoutes,
  ...notificationRoutes,
  ...eventRoutes,
  ...tableRoutes,
  ...tableRowRoutes,
  ...tableCommandRoutes,
  ...tableTriggerRoutes,
  ...usageRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...outputCallbackRoutes,
  ...doorRoutes,
  ...scheduleRoutes,
}

export type RouteName = keyof typeof allRoutes
