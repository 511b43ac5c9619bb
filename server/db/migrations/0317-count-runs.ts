import { type Kysely, sql } from 'kysely'

/**
 * Counts the rows of a run to the bytes that its company keeps: with its input while that is there, and fewer from then on, since its
 * events go with its content. The triggers on inputs do it, as each run is inserted with one: a submission counts in the same row
 * as before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function count_kept_insert_run_inputs() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, 'inputs', sum(octet_length(content) + 3072) from news group by company_id;
      return null;
    end $$;

    create or replace function count_kept_delete_run_inputs() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, kind, sum(bytes) from (
        select company_id, part.kind, part.bytes from olds
        cross join lateral (values ('inputs', -octet_length(content) - 3072), ('runs', 2048)) as part (kind, bytes)
      ) changed group by company_id, kind;
      return null;
    end $$;

    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, kind, sum(bytes) from (
      select company_id, 'inputs' as kind, 3072::bigint as bytes from run_inputs
      union all select company_id, 'runs', 2048 from runs
      union all select company_id, 'runs', -2048 from run_inputs
    ) present group by company_id, kind having sum(bytes) <> 0;

    do $block$
    begin
      execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
        || $view$ union all select company_id, 'inputs', 3072::bigint from run_inputs
          union all select company_id, 'runs', 2048::bigint from runs
          union all select company_id, 'runs', -2048::bigint from run_inputs$view$;
    end $block$;
  `.execute(db)
}
