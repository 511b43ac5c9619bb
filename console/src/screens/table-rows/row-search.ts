import { rowFilterMaxLength, rowFiltersMax } from '@sandbox-jobs/contract/limits.ts'
import type { RowSearch } from '../../data/authoring/tables.ts'
import { present, textIn } from '../../data/search-values.ts'

/** Conditions and order of rows, and the row that is open, as the address has them. */
export interface RowsAddress extends RowSearch {
  /** The identifier of a row, or `new`. */
  row?: string
}

/** Anybody may have written an address. The service refuses an invalid condition, and says why. */
export const readRowSearch = ({ filter, sort, row }: Record<string, unknown>): RowsAddress =>
  present({ filter: conditionsIn(filter), sort: textIn(sort), row: textIn(row) })

function conditionsIn(value: unknown): string[] | undefined {
  const texts = [value]
    .flat()
    .filter((each) => typeof each === 'string' && each !== '' && each.length <= rowFilterMaxLength)
  return texts.length > 0 ? (texts.slice(0, rowFiltersMax) as string[]) : undefined
}

/** The order after a press on the heading of a column: ascending, descending, as it was. */
export function nextSort(sort: string | undefined, name: string): string | undefined {
  if (sort === name) return `-${name}`
  return sort === `-${name}` ? undefined : name
}

export function orderOf(sort: string | undefined, name: string): 'ascending' | 'descending' | 'none' {
  if (sort === name) return 'ascending'
  return sort === `-${name}` ? 'descending' : 'none'
}
