import { type Kysely, sql } from 'kysely'

/**
 * The age of cached results of steps with a network. `network_since`: when the oldest build started that ran such a step for
 * the result; null where no step had a network. The limit of a company is the operator's; null: that of all companies.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table build_cache add column network_since timestamptz;
    alter table build_prefixes add column network_since timestamptz;
    alter table company_settings
      add column network_cache_days int check (network_cache_days between 1 and 30);
  `.execute(db)
}
