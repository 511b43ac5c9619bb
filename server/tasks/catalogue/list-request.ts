import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type { Page, PageTokens } from '../../base/page.ts'

/** Query of a list with its defaults filled in. */
export interface ListRequest {
  page_size: number
  page_token?: string | undefined
  lifecycle: Lifecycle
}

/** Converts a validated query: validation has set the defaults, but the types do not show that. */
export const listRequestOf = (
  query: { page_size?: number; page_token?: string; lifecycle?: Lifecycle },
  defaults: { page_size: number; lifecycle: Lifecycle },
): ListRequest => ({
  page_size: query.page_size ?? defaults.page_size,
  page_token: query.page_token,
  lifecycle: query.lifecycle ?? defaults.lifecycle,
})

/** The states that a lifecycle includes; undefined: all. */
export const statesOfLifecycle = (
  lifecycle: Lifecycle,
  states: { active: readonly string[]; retired: readonly string[] },
): readonly string[] | undefined => (lifecycle === 'all' ? undefined : states[lifecycle])

/** A page token of a list ordered by id holds the last id of the previous page. */
export function afterIdOf(
  pages: PageTokens,
  list: string,
  request: { page_token?: string | undefined },
): string | undefined {
  const [id] = pages.read(list, request.page_token) ?? []
  return typeof id === 'string' ? id : undefined
}

export const pageByIdOf = <Row extends { id: string }, Item>(
  pages: PageTokens,
  list: string,
  found: { rows: Row[]; size: number },
  item: (row: Row) => Item,
): Page<Item> => pages.page(list, found.rows, found.size, { item, cursor: (row) => [row.id] })
