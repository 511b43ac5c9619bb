import { type Kysely, sql } from 'kysely'

/**
 * Counts the rows about artifacts and refused connections of runs to the bytes that a company keeps: a program chooses how many
 * there are and the names in them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $block$
    declare
      source record;
      event record;
    begin
      for source in
        select * from (values
          -- A name is in the table and in an index. The row stays when its file is deleted.
          ('run_artifacts', 'artifacts', 'octet_length(relative_path) * 2 + 512'),
          ('run_refusals', 'refusals', 'octet_length(entries::text)')
        ) as sources (table_name, kind, bytes)
      loop
        for event in
          select * from (values
            ('insert', '', 'referencing new table as changed'),
            ('delete', '-', 'referencing old table as changed')
          ) as events (name, sign, tables)
        loop
          execute format($sql$
            create function count_kept_%1$s_%2$s() returns trigger language plpgsql as $body$
              begin
                insert into kept_byte_changes (company_id, kind, bytes)
                select company_id, %3$L, %4$ssum(%5$s)::bigint from changed group by company_id;
                return null;
              end $body$;
            create trigger count_kept_%1$s after %1$s on %2$s %6$s
              for each statement execute function count_kept_%1$s_%2$s()$sql$,
            event.name, source.table_name, source.kind, event.sign, source.bytes, event.tables);
        end loop;
        execute format('insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, %L, sum(%s)::bigint from %I group by company_id',
          source.kind, source.bytes, source.table_name);
        execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
          || format(' union all select company_id, %L, (%s)::bigint from %I', source.kind, source.bytes, source.table_name);
      end loop;
    end
    $block$;
  `.execute(db)
}
