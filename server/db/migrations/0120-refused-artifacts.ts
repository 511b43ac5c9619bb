import { type Kysely, sql } from 'kysely'

/** Why no artifact of a run was kept: the broken rule, and the file that broke it as it may be shown. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table run_contents
      add column refused_rule text,
      add column refused_path text,
      add constraint run_contents_refused_check check (
        length(refused_rule) between 1 and 31
        and (refused_path is null or (refused_rule is not null and length(refused_path) between 1 and 300))
      ) not valid
  `.execute(db)
}
