import { type Kysely, sql } from 'kysely'

/** Bytes of a column as text; none if it is null. */
export const lengthOf = (column: string): string => `coalesce(octet_length(${column}::text), 0)`

/** A table whose rows count to the bytes that a company keeps. All parts are SQL of migrations. */
interface Counted {
  table: string
  /** Under which the bytes are summed (`kept_bytes`). */
  kind: string
  /** What a row counts: an expression over its columns. */
  bytes: string
  /** Whether an update may change it; absent: no. */
  isChanged?: boolean
  /** Start of the triggers' names; for a table that counts something else already, another one. */
  triggers?: string
}

/**
 * Counts a table from now on, and what is in it: triggers add the difference that a statement makes as one row for each company,
 * and the view `kept_sources` reads the same from the rows. Migrations that are released call it, so it makes the same for ever.
 */
export async function countKept(db: Kysely<unknown>, counted: Counted): Promise<void> {
  const { table, kind, bytes, isChanged = false, triggers = 'count_kept' } = counted
  const added = `select company_id, (${bytes})::bigint as bytes from news`
  const removed = `select company_id, -(${bytes})::bigint as bytes from olds`
  const events: [event: string, tables: string, rows: string][] = [
    ['insert', 'new table as news', added],
    ['delete', 'old table as olds', removed],
  ]
  if (isChanged)
    events.push(['update', 'old table as olds new table as news', `${added} union all ${removed}`])
  const sumOf = (rows: string) => `
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, '${kind}', sum(bytes)::bigint from (${rows}) changed
    group by company_id having sum(bytes) <> 0`
  for (const [event, tables, rows] of events) {
    await sql
      .raw(`
        create function ${triggers}_${event}_${table}() returns trigger language plpgsql as $body$
          begin ${sumOf(rows)};
            return null;
          end $body$;
        create trigger ${triggers}_${event} after ${event} on ${table} referencing ${tables}
          for each statement execute function ${triggers}_${event}_${table}()`)
      .execute(db)
  }
  const present = `select company_id, (${bytes})::bigint as bytes from ${table}`
  await sql.raw(sumOf(present)).execute(db)
  const { rows } = await sql<{ text: string }>`
    select rtrim(pg_get_viewdef('kept_sources'::regclass), '; ') as text`.execute(db)
  await sql
    .raw(`
      create or replace view kept_sources as ${rows[0]?.text}
      union all select company_id, '${kind}', (${bytes})::bigint from ${table}`)
    .execute(db)
}
