import { type Kysely, sql } from 'kysely'

/**
 * Counts the rows of tasks, their versions, shares and bindings to the bytes that a company keeps: they are archived or revoked and
 * never removed, and parts of them that their authors choose were not counted.
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
          ('tasks', $$512 + octet_length(name) + octet_length(description)
            + coalesce(octet_length(egress_allow_list::text), 0)$$),
          -- The texts of a version count as scripts (baseline/storage.sql).
          ('task_versions', $$1024 + coalesce(octet_length(ordinary_env::text), 0)
            + coalesce(octet_length(secret_slot_declarations::text), 0)
            + coalesce(octet_length(output_policy::text), 0)$$),
          ('share_grants', $$512 + octet_length(revoke_reason)
            + coalesce(octet_length(secret_slot_policies::text), 0)$$),
          ('bindings', $$512 + octet_length(revoke_reason)$$)
        ) as sources (table_name, bytes)
      loop
        for event in
          select * from (values
            ('insert', 'referencing new table as news', 'select company_id, (%s)::bigint as bytes from news'),
            ('delete', 'referencing old table as olds', 'select company_id, -(%s)::bigint as bytes from olds'),
            ('update', 'referencing old table as olds new table as news',
              'select company_id, (%1$s)::bigint as bytes from news
              union all select company_id, -(%1$s)::bigint from olds')
          ) as events (name, tables, changed)
        loop
          execute format($sql$
            create function count_kept_definition_%1$s_%2$s() returns trigger language plpgsql as $body$
              begin
                insert into kept_byte_changes (company_id, kind, bytes)
                select company_id, 'tasks', sum(bytes)::bigint from (%4$s) changed
                group by company_id having sum(bytes) <> 0;
                return null;
              end $body$;
            create trigger count_kept_definition_%1$s after %1$s on %2$s %3$s
              for each statement execute function count_kept_definition_%1$s_%2$s()$sql$,
            event.name, source.table_name, event.tables, format(event.changed, source.bytes));
        end loop;
        execute format('insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, ''tasks'', sum(%s)::bigint from %I group by company_id', source.bytes, source.table_name);
        execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
          || format(' union all select company_id, ''tasks'', (%s)::bigint from %I', source.bytes, source.table_name);
      end loop;
    end
    $block$;
  `.execute(db)
}
