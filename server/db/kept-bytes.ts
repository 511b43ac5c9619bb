import { type RawBuilder, sql } from 'kysely'

/*
 * Parts of statements about the bytes that a company keeps. Triggers note each change in `kept_byte_changes`, and a
 * loop folds the notes into `kept_bytes`: both together are exact at any time.
 */

/** Bytes that a company keeps now; `company` is an expression for its id, a column with the name of its table. */
export const keptBytesOf = (company: RawBuilder<unknown>): RawBuilder<number> => sql<number>`(
  (select coalesce(sum(bytes), 0)::bigint from kept_bytes where company_id = ${company})
  + (select coalesce(sum(bytes), 0)::bigint from kept_byte_changes where company_id = ${company})
)`

/** Bytes that a company may keep; null sets no bound. */
export const keptLimitOf = (company: RawBuilder<unknown>): RawBuilder<number | null> => sql<
  number | null
>`coalesce(
  (select kept_bytes_limit from company_settings where company_id = ${company}),
  (select company_bytes from storage_bounds)
)`
