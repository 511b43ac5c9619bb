import { tableCommandRoutes } from '@sandbox-jobs/contract/routes/table-command-routes.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { tableTriggerRoutes } from '@sandbox-jobs/contract/routes/table-trigger-routes.ts'
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
import { exportRows } from '../../../custom-tables/rows/export-rows.ts'
import { listRoomRows, listRows } from '../../../custom-tables/rows/list-rows.ts'
import { createRow, deleteRowOf, readRow, updateRow } from '../../../custom-tables/rows/row-service.ts'
import type { TableContext } from '../../../custom-tables/table-context.ts'
import {
  archiveTrigger,
  createTrigger,
  listTriggerEvents,
  listTriggers,
  readTrigger,
  updateTrigger,
} from '../../../custom-tables/triggers/trigger-service.ts'
import type { Downloads } from '../../../storage/downloads/downloads.ts'
import type { Mount } from '../../mount.ts'
import { goneSignal, untrustedHeaders } from '../../responses/send-download.ts'

/** Custom tables, their rows, commands and triggers (contract part 3, D3). */
export function mountTableRoutes(mount: Mount, context: TableContext & { downloads: Downloads }): void {
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
  mountRowRoutes(mount, context)
  mountCommandRoutes(mount, context)
  mountTriggerRoutes(mount, context)
}

function mountRowRoutes(mount: Mount, context: TableContext & { downloads: Downloads }): void {
  mount(tableRowRoutes.listRows, ({ principal, params, query }) =>
    listRows(context, principal, { tableId: params.id, query }),
  )
  mount(tableRowRoutes.exportRows, async ({ principal, params, query, reply }) => {
    const { format = 'jsonl', filter } = query
    const wanted = { tableId: params.id, format, filter, signal: goneSignal(reply) }
    const { body, mediaType, filename } = await exportRows(context, principal, wanted)
    return reply
      .headers(untrustedHeaders)
      .header('content-type', mediaType)
      .header('content-disposition', `attachment; filename="${filename}"`)
      .send(body)
  })
  mount(tableRowRoutes.createRow, ({ principal, params, body, idempotencyKey }) =>
    createRow(context, { principal, tableId: params.id, idempotencyKey, body }),
  )
  mount(tableRowRoutes.readRow, ({ principal, params }) =>
    readRow(context, principal, { tableId: params.id, id: params.rid }),
  )
  mount(tableRowRoutes.updateRow, ({ principal, params, body }) =>
    updateRow(context, principal, { tableId: params.id, id: params.rid, body }),
  )
  mount(tableRowRoutes.deleteRow, ({ principal, params }) =>
    deleteRowOf(context, principal, { tableId: params.id, id: params.rid }),
  )
  mount(tableRowRoutes.listRoomRows, ({ principal, params, query }) =>
    listRoomRows(context, principal, { roomId: params.cid, tableId: params.id, query }),
  )
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

function mountTriggerRoutes(mount: Mount, context: TableContext): void {
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
