import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type { Clock } from '../base/clock.ts'
import { CodedError } from '../base/coded-error.ts'
import type { Page, PageRequest, PageTokens } from '../base/page.ts'
import type { Peppers } from '../base/peppers.ts'
import type { Database } from '../db/database.ts'
import { administratorRole, isRestricted, type Principal } from './principal.ts'

/** What the directory's use cases work with. */
export interface Platform {
  db: Database
  pageTokens: PageTokens
  clock: Clock
  /** Of stored API keys. */
  peppers: Peppers
}

export interface ListRequest extends PageRequest {
  lifecycle?: Lifecycle | undefined
}

/** One stretch of a list in order of ids, which is the order of making. */
export interface Stretch {
  companyId: string
  lifecycle: Lifecycle
  afterId: string
  limit: number
}

/** Only a company's administrators change its directory; throws `insufficient_permissions`. */
export function requireAdministrator(principal: Principal): void {
  if (principal.role < administratorRole || isRestricted(principal)) {
    throw new CodedError('insufficient_permissions')
  }
}

/** One page of a list of rows with ids; `read` is asked for one row more than is shown. */
export async function pageById<Row extends { id: string }, Item>(
  platform: Platform,
  list: { name: string; companyId: string; request: ListRequest },
  read: (stretch: Stretch) => Promise<Row[]>,
  render: (row: Row) => Item,
): Promise<Page<Item>> {
  const { name, companyId, request } = list
  const size = request.page_size ?? pageSizeMax
  const [afterId] = platform.pageTokens.read(name, request.page_token) ?? []
  const rows = await read({
    companyId,
    lifecycle: request.lifecycle ?? 'active',
    afterId: typeof afterId === 'string' ? afterId : '',
    limit: size + 1,
  })
  return platform.pageTokens.page(name, rows, size, { item: render, cursor: (row) => [row.id] })
}
