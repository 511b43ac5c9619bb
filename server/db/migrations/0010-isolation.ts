import { type Kysely, sql } from 'kysely'

/** What the owner of a version wants between its runs and the host's kernel. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table environment_versions add column isolation text not null default 'standard'
      check (isolation in ('standard', 'gvisor'));
  `.execute(db)
}
