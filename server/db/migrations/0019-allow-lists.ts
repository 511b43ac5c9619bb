import { type Kysely, sql } from 'kysely'

/** What owners let runs of an environment or a task reach: `{ domains, cidrs }`; null lets them reach all that is public. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table environments add column egress_allow_list jsonb
      check (jsonb_typeof(egress_allow_list) = 'object');
    alter table tasks add column egress_allow_list jsonb
      check (jsonb_typeof(egress_allow_list) = 'object');
  `.execute(db)
}
