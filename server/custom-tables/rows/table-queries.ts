import { CodedError } from '../../base/errors/coded-error.ts'
import { hasCode } from '../../base/errors/has-code.ts'
import type { Database } from '../../db/database.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import { type ListedRow, queryRows, type RowQuery, withTimeLimit } from './row-query-store.ts'

/** Queries and exports of one process: each company gets two, and one even when all are taken. */
const slotBounds = { all: 6, each: 2, assuredEach: 1 }
const queryMs = 5000
/** SQLSTATE of a statement that took too long. */
const queryCanceled = '57014'

/** Reads rows, in turns and within limits: a query may have to read a whole table. */
export class TableQueries {
  readonly #db: Database
  readonly #limitMs: number
  readonly #slots = new SharedSlots(slotBounds)

  constructor(db: Database, limitMs = queryMs) {
    this.#db = db
    this.#limitMs = limitMs
  }

  /** Takes the place of a query. Throws `custom_table_busy`. */
  take(companyId: string): () => void {
    const release = this.#slots.take(companyId)
    if (!release) throw new CodedError('custom_table_busy')
    return release
  }

  /** Rows for who has a place. Throws `custom_table_query_too_slow`. */
  async read(query: RowQuery): Promise<ListedRow[]> {
    try {
      return await withTimeLimit(this.#db, this.#limitMs, (trx) => queryRows(trx, query))
    } catch (error) {
      if (hasCode(error, queryCanceled)) throw new CodedError('custom_table_query_too_slow')
      throw error
    }
  }
}
