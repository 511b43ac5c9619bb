import { tableCommandRoutes } from '@sandbox-jobs/contract/routes/table-command-routes.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import {
  addFields,
  archiveTable,
  createTable,
  listTables,
  readTable,
  updateTable,
} from '../../../custom-tables/catalogue/table-service.ts'
import {
  archiveCommand,
  createCommand,
  listRoomCommands,
  listTableCommands,
  readCommand,
  updateCommand,
} from '../../../custom-tables/commands/command-service.ts'
import { executeCommand } from '../../../custom-tables/commands/execute-command.ts'
import type { TableContext } from '../../../custom-tables/table-context.ts'
import type { Mount } from '../../mount.ts'
import { mountTableRowRoutes } from './table-rows.ts'
import { mountTableTriggerRoutes } from './table-triggers.ts'

/** Custom tables, their rows, commands and triggers (contract part 3, D3). */
export function mountTableRoutes(mount: Mount, context: TableContext): void {
  mount(tableRoutes.listTables, ({ principal, query }) => listTables(context, principal, query))
  mount(tableRoutes.createTable, ({ principal, body }) => createTable(context, principal, body))
  mount(tableRoutes.readTable, ({ principal, params }) => readTable(context, principal, params.id))
  mount(tableRoutes.updateTable, ({ principal, params, body }) =>
    updateTable(context, principal, { id: params.id, request: body }),
  )
  mount(tableRoutes.addTableFields, ({ principal, params, body }) =>
    addFields(context, principal, { id: params.id, request: body }),
  )
  mount(tableRoutes.archiveTable, ({ principal, params }) => archiveTable(context, principal, params.id))
  mountTableRowRoutes(mount, context)
  mountCommandRoutes(mount, context)
  mountTableTriggerRoutes(mount, context)
}

function mountCommandRoutes(mount: Mount, context: TableContext): void {
  mount(tableCommandRoutes.listTableCommands, ({ principal, params, query }) =>
    listTableCommands(context, principal, { tableId: params.id, query }),
  )
  mount(tableCommandRoutes.createTableCommand, ({ principal, params, body }) =>
    createCommand(context, principal, { tableId: params.id, request: body }),
  )
  mount(tableCommandRoutes.readTableCommand, ({ principal, params }) =>
    readCommand(context, principal, params.id),
  )
  mount(tableCommandRoutes.updateTableCommand, ({ principal, params, body }) =>
    updateCommand(context, principal, { id: params.id, request: body }),
  )
  mount(tableCommandRoutes.archiveTableCommand, ({ principal, params }) =>
    archiveCommand(context, principal, params.id),
  )
  mount(tableCommandRoutes.listRoomCommands, ({ principal, params, query }) =>
    listRoomCommands(context, principal, { roomId: params.cid, query }),
  )
  mount(tableCommandRoutes.executeCommand, ({ principal, params, body, idempotencyKey }) =>
    executeCommand(context, {
      principal,
      roomId: params.cid,
      commandId: params.id,
      idempotencyKey,
      inputs: body.inputs,
    }),
  )
}
