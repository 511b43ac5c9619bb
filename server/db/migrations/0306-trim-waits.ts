import { type Kysely, sql } from 'kysely'

/** A removal of old audit entries waits for the chaining of new ones: while a company adds many, it would hardly find it at rest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $block$
    declare
      present constant text := pg_get_functiondef('trim_audit_entries(text, timestamptz, bigint, int)'::regprocedure);
      waiting constant text := regexp_replace(present, 'if not lock_audit_chains\\(\\) then\\s+return 0;\\s+end if;',
        'perform pg_advisory_xact_lock(7210, 0);');
    begin
      if waiting = present then raise exception 'trim_audit_entries is another function'; end if;
      execute waiting;
    end
    $block$;
  `.execute(db)
}
