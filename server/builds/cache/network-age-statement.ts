import { networkCacheDaysDefault } from '@sandbox-jobs/contract/limits.ts'
import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a cached result is older than the company of the row reuses what steps got from a network. `row` is the name of a
 * table with `company_id` and `network_since`.
 */
export const isNetworkTooOld = (row: string): RawBuilder<boolean> => sql<boolean>`(
  ${sql.ref(`${row}.network_since`)} is not null and ${sql.ref(`${row}.network_since`)} < now() - make_interval(days => coalesce(
    (select s.network_cache_days from company_settings s where s.company_id = ${sql.ref(`${row}.company_id`)}),
    ${networkCacheDaysDefault}::int
  ))
)`
