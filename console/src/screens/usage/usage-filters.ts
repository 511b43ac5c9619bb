import { dayIn, present } from '../../data/search-values.ts'

/** Dimensions of the report that a person chooses from, besides days. */
export const dimensions = ['task', 'room', 'department', 'person'] as const
export type Dimension = (typeof dimensions)[number]

/** The filters of the report, as the address has them. Days are UTC; `to` is the last one that counts. */
export interface UsageFilters {
  by?: Dimension
  from?: string
  to?: string
}

/** Filters of an address, which anybody may have written: what is no filter is left out. */
export const readUsageFilters = (search: Record<string, unknown>): UsageFilters =>
  present({
    by: dimensions.find((each) => each === search.by),
    from: dayIn(search.from),
    to: dayIn(search.to),
  })
