import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type { Clock } from '../../base/clock.ts'
import type { Peppers } from '../../base/keys/peppers.ts'
import type { Page, PageRequest, PageTokens } from '../../base/page.ts'
import type { Database, Executing } from '../../db/database.ts'

/** Dependencies of the directory's services. */
export interface Platform {
  db: Database
  pageTokens: PageTokens
  clock: Clock
  /** Peppers of stored API keys. */
  peppers: Peppers
  /** Throws 409 `storage_quota_exceeded` if the company may not store so many more bytes. */
  requireStorageQuota: (db: Executing, companyId: string, moreBytes: number) => Promise<void>
}

/** Bytes that a row of the directory counts to the storage quota, at least nearly (migration 0315). */
export const directoryBytes = { entry: 2048, membership: 384 } as const

export interface ListRequest extends PageRequest {
  lifecycle?: Lifecycle | undefined
}

/** The range of one page in a list ordered by id, which is the order of creation. */
export interface Stretch {
  companyId: string
  lifecycle: Lifecycle
  afterId: string
  limit: number
}

/** One page of a list of rows with ids; `read` is called for one row more than is shown. */
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
