import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type { Page, PageTokens } from '../../base/page.ts'

export interface ListQuery {
  page_size?: number
  page_token?: string
  lifecycle?: Lifecycle
}

const states = { active: ['active'], retired: ['archived'], all: undefined } as const

/** One page of a list that is ordered by id; `read` gets the states, the last id and the number of rows to read. */
export async function pageOf<Row extends { id: string }, Item>(
  pages: PageTokens,
  list: string,
  query: ListQuery,
  read: {
    rows: (filter: {
      states: readonly ('active' | 'archived')[] | undefined
      afterId: string | undefined
      limit: number
    }) => Promise<Row[]>
    item: (row: Row) => Item
  },
): Promise<Page<Item>> {
  const size = query.page_size ?? catalogPageSizeDefault
  const [afterId] = pages.read(list, query.page_token) ?? []
  const rows = await read.rows({
    states: states[query.lifecycle ?? 'active'],
    afterId: typeof afterId === 'string' ? afterId : undefined,
    limit: size + 1,
  })
  return pages.page(list, rows, size, { item: read.item, cursor: ({ id }) => [id] })
}
