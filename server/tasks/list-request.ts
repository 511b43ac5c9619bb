import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type { Page, PageTokens } from '../base/page.ts'

/** Query of a list with its defaults filled in. */
export interface ListRequest {
  page_size: number
  page_token?: string | undefined
  lifecycle: Lifecycle
}

/** A query as the route leaves it: validation has set the defaults, types do not know it. */
export const listRequestOf = (
  query: { page_size?: number; page_token?: string; lifecycle?: Lifecycle },
  defaults: { page_size: number; lifecycle: Lifecycle },
): ListRequest => ({
  page_size: query.page_size ?? defaults.page_size,
  page_token: query.page_token,
  lifecycle: query.lifecycle ?? defaults.lifecycle,
})

/** The states a lifecycle shows; undefined for all. */
export const statesOfLifecycle = (
  lifecycle: Lifecycle,
  states: { active: readonly string[]; retired: readonly string[] },
): readonly string[] | undefined => (lifecycle === 'all' ? undefined : states[lifecycle])

/** Lists in the order of ids go on after the last id that was shown. */
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
