import { tableTriggerRoutes } from '@sandbox-jobs/contract/routes/table-trigger-routes.ts'
import type { TableContext } from '../../../custom-tables/table-context.ts'
import {
  archiveTrigger,
  createTrigger,
  listTriggerEvents,
  listTriggers,
  readTrigger,
  updateTrigger,
} from '../../../custom-tables/triggers/trigger-service.ts'
import type { Mount } from '../../mount.ts'

/** Triggers of custom tables (contract part 3, D3). */
export function mountTableTriggerRoutes(mount: Mount, context: TableContext): void {
  mount(tableTriggerRoutes.listTableTriggers, ({ principal, params, query }) =>
    listTriggers(context, principal, { tableId: params.id, query }),
  )
  mount(tableTriggerRoutes.createTableTrigger, ({ principal, params, body }) =>
    createTrigger(context, principal, { tableId: params.id, request: body }),
  )
  mount(tableTriggerRoutes.readTableTrigger, ({ principal, params }) =>
    readTrigger(context, principal, params.id),
  )
  mount(tableTriggerRoutes.updateTableTrigger, ({ principal, params, body }) =>
    updateTrigger(context, principal, { id: params.id, request: body }),
  )
  mount(tableTriggerRoutes.archiveTableTrigger, ({ principal, params }) =>
    archiveTrigger(context, principal, params.id),
  )
  mount(tableTriggerRoutes.listTriggerEvents, ({ principal, params, query }) =>
    listTriggerEvents(context, principal, { id: params.id, query }),
  )
}
