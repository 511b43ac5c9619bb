import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { exportRows } from '../../../custom-tables/rows/export-rows.ts'
import { listRoomRows, listRows } from '../../../custom-tables/rows/list-rows.ts'
import { createRow, deleteRowOf, readRow, updateRow } from '../../../custom-tables/rows/row-service.ts'
import type { TableContext } from '../../../custom-tables/table-context.ts'
import type { Mount } from '../../mount.ts'
import { untrustedHeaders } from '../../responses/untrusted.ts'

export function mountTableRowRoutes(mount: Mount, context: TableContext): void {
  mount(tableRowRoutes.listRows, ({ principal, params, query }) =>
    listRows(context, principal, { tableId: params.id, query }),
  )
  mount(tableRowRoutes.exportRows, async ({ principal, params, query, reply }) => {
    const { format = 'jsonl', filter } = query
    const wanted = { tableId: params.id, format, filter }
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
