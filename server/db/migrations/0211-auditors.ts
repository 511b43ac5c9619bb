import { type Kysely, sql } from 'kysely'

/** The company role 0: auditors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users drop constraint users_role_check;
    alter table users add constraint users_role_check check (role between 0 and 4);
  `.execute(db)
}
