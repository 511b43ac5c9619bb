import { type Kysely, sql } from 'kysely'

/**
 * What a company declares and archives, and is never removed, counts to the bytes that it keeps: each row as much as the largest one
 * may have, so that their number is bounded too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $block$
    declare
      counted record;
      body constant text := $body$
        begin
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, %L, count(*) * %s from %s group by company_id;
          return null;
        end $body$;
    begin
      for counted in
        select * from (values
          ('custom_tables', 'table_definitions', 32768),
          ('custom_table_commands', 'table_definitions', 32768),
          ('custom_table_triggers', 'table_definitions', 32768),
          ('secret_approvals', 'secret_approvals', 16384)
        ) as counted (name, kind, bytes)
      loop
        execute format('create function count_kept_insert_%s() returns trigger language plpgsql as %L',
          counted.name, format(body, counted.kind, counted.bytes, 'news'));
        execute format('create trigger count_kept_insert after insert on %1$s referencing new table as news
          for each statement execute function count_kept_insert_%1$s()', counted.name);
        execute format('create function count_kept_delete_%s() returns trigger language plpgsql as %L',
          counted.name, format(body, counted.kind, -counted.bytes, 'olds'));
        execute format('create trigger count_kept_delete after delete on %1$s referencing old table as olds
          for each statement execute function count_kept_delete_%1$s()', counted.name);
        execute format('insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, %L, count(*) * %s from %s group by company_id', counted.kind, counted.bytes, counted.name);
        execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
          || format(' union all select company_id, %L, %s::bigint from %s', counted.kind, counted.bytes, counted.name);
      end loop;
    end
    $block$;
  `.execute(db)
}
