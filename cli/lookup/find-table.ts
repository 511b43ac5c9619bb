import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

const tableId = idPattern('customTable')

/** A table by name or id; an archived one only by its id. */
export async function findTable({ client }: Session, wanted: string): Promise<CustomTable> {
  if (tableId.test(wanted)) return client.call(allRoutes.readTable, { params: { id: wanted } })
  return pickNamed('table', wanted, await allPages((query) => client.call(allRoutes.listTables, { query })))
}
