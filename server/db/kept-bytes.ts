import { type RawBuilder, sql } from 'kysely'

/*
 * SQL fragments for the bytes that a company stores. Triggers insert each change into `kept_byte_changes`, and a loop
 * folds the changes into `kept_bytes`: the sum of both is exact at any time.
 */

/** Bytes that a company stores now. `company` is an expression for its id; qualify a column with its table. */
export const keptBytesOf = (company: RawBuilder<unknown>): RawBuilder<number> => sql<number>`(
  (select coalesce(sum(bytes), 0)::bigint from kept_bytes where company_id = ${company})
  + (select coalesce(sum(bytes), 0)::bigint from kept_byte_changes where company_id = ${company})
)`

/** Bytes that a company may store; null: no limit. */
export const keptLimitOf = (company: RawBuilder<unknown>): RawBuilder<number | null> => sql<
  number | null
>`coalesce(
  (select kept_bytes_limit from company_settings where company_id = ${company}),
  (select company_bytes from storage_bounds)
)`
