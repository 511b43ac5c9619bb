import { type Kysely, sql } from 'kysely'

/** Attempts that make the same prefix at once have one each; one that is not stored yet has no envelope. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table build_prefixes
      drop constraint build_prefixes_pkey,
      add primary key (company_id, key, attempt_id),
      alter column envelope drop not null;
  `.execute(db)
}
