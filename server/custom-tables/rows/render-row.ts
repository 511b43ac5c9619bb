import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import type { StoredRow } from './table-row-store.ts'

export const renderRow = (row: StoredRow): TableRow => ({
  id: row.id,
  table_id: row.table_id,
  version: row.version,
  chatroom_id: row.chatroom_id,
  values: row.values,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
