import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type { TableRowList } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import type { TriggerEventStatus } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type InfiniteData, keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { addressOf } from '../api/api.ts'
import { apiAll, apiPages, apiQuery, readAgain } from '../api/queries.ts'
import { present } from '../search-values.ts'

/** The tables that the person manages, archived ones too: their rows stay. */
export const tables = apiAll(allRoutes.listTables, { query: { lifecycle: 'all' } })

export const tableOf = (id: string) => apiQuery(allRoutes.readTable, { params: { id } })

/** Conditions and the order of rows, as the API takes them. */
export interface RowSearch {
  filter?: string[]
  sort?: string
}

/**
 * Rows page by page. They are read again only on request, since a table has up to 100,000. The rows of the former search are shown until
 * those of the next one are read.
 */
export const rowsOf = (id: string, search: RowSearch) => ({
  ...apiPages(allRoutes.listRows, { params: { id }, query: { ...search, page_size: pageSizeMax } }),
  staleTime: Number.POSITIVE_INFINITY,
  placeholderData: keepPreviousData,
})

export const rowOf = (id: string, rid: string) => ({
  ...apiQuery(allRoutes.readRow, { params: { id, rid } }),
  staleTime: 0,
})

/** All rows that meet the conditions, as CSV or as JSON lines. */
export const rowsFile = (id: string, format: 'csv' | 'jsonl', filter: string[] | undefined): string =>
  addressOf(allRoutes.exportRows, { params: { id }, query: present({ format, filter }) })

export const commandsOf = (id: string) =>
  apiAll(allRoutes.listTableCommands, { params: { id }, query: { lifecycle: 'all' } })

export const commandOf = (id: string) => apiQuery(allRoutes.readTableCommand, { params: { id } })

export const triggersOf = (id: string) =>
  apiAll(allRoutes.listTableTriggers, { params: { id }, query: { lifecycle: 'all' } })

export const triggerOf = (id: string) => apiQuery(allRoutes.readTableTrigger, { params: { id } })

/** The events of a trigger, the newest first. */
export const triggerEventsOf = (id: string, status: TriggerEventStatus | undefined) =>
  apiPages(allRoutes.listTriggerEvents, { params: { id }, query: present({ status }) })

/** Reads tables again wherever they are shown, but not their rows. */
export const readTablesAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [allRoutes.listTables, allRoutes.readTable])

export const readCommandsAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [allRoutes.listTableCommands, allRoutes.readTableCommand, allRoutes.listRoomCommands])

export const readTriggersAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [allRoutes.listTableTriggers, allRoutes.readTableTrigger, allRoutes.listTriggerEvents])

/** Reads rows again, only the first page of them: the query forgets the further pages that were loaded. */
export async function readRowsAgain(queries: QueryClient): Promise<void> {
  await readTablesAgain(queries)
  await queries.resetQueries({ queryKey: [allRoutes.listRows.path] })
}

/** Shows a changed row where it is in the pages that are loaded, whatever their order. */
export function replaceRow(queries: QueryClient, row: TableRowList['items'][number]): void {
  queries.setQueryData(rowOf(row.table_id, row.id).queryKey, row)
  queries.setQueriesData<InfiniteData<TableRowList>>(
    { queryKey: [allRoutes.listRows.path] },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          items: page.items.map((each) => (each.id === row.id ? row : each)),
        })),
      },
  )
}
