import { type Kysely, sql } from 'kysely'

/** Under which pepper a key is stored, since there are two while the keys move from one to the next. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_keys add column pepper integer not null default 0 check (pepper between 0 and 999999);
  `.execute(db)
}
