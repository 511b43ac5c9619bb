import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../server/db/database.ts'

/*
 * The schema of a database as text, from the catalogue: each table with its constraints, indexes and triggers, then
 * views and functions, sorted by name. Definitions are those that Postgres prints, so the text is the same on each
 * machine with the same major version of Postgres.
 */

/** Tables that Kysely creates itself. */
const omitted = ['kysely_migration', 'kysely_migration_lock']

interface Relation {
  oid: number
  name: string
  kind: 'r' | 'v'
  unlogged: boolean
}

const intro = `-- The schema that the migrations make (server/db/schema), in Postgres's own words.
-- Written by \`npm run schema\`; do not edit.

`

/** The content of docs/schema.sql. */
export const schemaDocument = async (db: Database): Promise<string> => intro + (await schemaText(db))

/** Throws when the schema has objects of a kind that the text does not show. */
export async function schemaText(db: Database): Promise<string> {
  const unknown = await linesOf(db, unknownObjects)
  if (unknown.length > 0) throw new Error(`schemaText() cannot show ${unknown.join(', ')}`)
  const { rows } = await sql<Relation>`
    select oid::int as oid, quote_ident(relname) as name, relkind as kind, relpersistence = 'u' as unlogged
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v') and relname <> all(${omitted})
    order by relkind, relname collate "C"`.execute(db)
  const relations: string[] = []
  for (const relation of rows) {
    relations.push(relation.kind === 'r' ? await tableText(db, relation) : await viewText(db, relation))
  }
  const functions = await linesOf(
    db,
    sql`
      select pg_get_functiondef(oid) || ';' as line from pg_proc where pronamespace = 'public'::regnamespace
      order by proname collate "C", pg_get_function_identity_arguments(oid)`,
  )
  return [...relations, ...functions.map((text) => `${text}\n`)].join('\n')
}

async function tableText(db: Database, { oid, name, unlogged }: Relation): Promise<string> {
  const parts = [...(await linesOf(db, columns(oid))), ...(await linesOf(db, constraints(oid)))]
  const dependents = [...(await linesOf(db, indexes(oid))), ...(await linesOf(db, triggers(oid)))]
  const table = `create ${unlogged ? 'unlogged ' : ''}table ${name} (\n  ${parts.join(',\n  ')}\n);\n`
  return table + dependents.map((text) => `${text};\n`).join('')
}

async function viewText(db: Database, { oid, name }: Relation): Promise<string> {
  const [definition = ''] = await linesOf(db, sql`select pg_get_viewdef(${oid}::oid, true) as line`)
  return `create view ${name} as\n${definition}\n`
}

async function linesOf(db: Database, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await (query as RawBuilder<{ line: string }>).execute(db)
  return rows.map(({ line }) => line)
}

/**
 * In their physical order, which the rows of a backup have. A constraint's name is shown if it differs from
 * Postgres's default.
 */
const columns = (table: number) => sql`
  select concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
    case when attcollation <> typcollation then 'collate ' || attcollation::regcollation::text end,
    case when attidentity <> '' then
      format('generated %s as identity', case attidentity when 'a' then 'always' else 'by default' end) end,
    case when attgenerated = 's' then format('generated always as (%s) stored', pg_get_expr(adbin, adrelid, true))
      when attgenerated = 'v' then format('generated always as (%s) virtual', pg_get_expr(adbin, adrelid, true))
      else 'default ' || pg_get_expr(adbin, adrelid, true) end,
    case when n.conname <> relname || '_' || attname || '_not_null' then 'constraint ' || quote_ident(n.conname) end,
    case when attnotnull then 'not null' end) as line
  from pg_attribute a
    join pg_class c on c.oid = attrelid
    join pg_type t on t.oid = atttypid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    left join pg_constraint n on n.conrelid = attrelid and n.contype = 'n' and n.conkey = array[attnum]
  where attrelid = ${table}::oid and attnum > 0 and not attisdropped
  order by attnum`

const constraints = (table: number) => sql`
  select format('constraint %I %s', conname, pg_get_constraintdef(oid, true)) as line
  from pg_constraint where conrelid = ${table}::oid and contype in ('p', 'u', 'c', 'f', 'x')
  order by array_position(array['p', 'u', 'c', 'f', 'x'], contype::text), conname collate "C"`

/** Indexes that no constraint creates. */
const indexes = (table: number) => sql`
  select pg_get_indexdef(indexrelid, 0, true) as line
  from pg_index join pg_class c on c.oid = indexrelid
  where indrelid = ${table}::oid and not exists (select from pg_constraint where conindid = indexrelid and contype <> 'f')
  order by relname collate "C"`

const triggers = (table: number) => sql`
  select pg_get_triggerdef(oid, true) as line
  from pg_trigger where tgrelid = ${table}::oid and not tgisinternal
  order by tgname collate "C"`

const unknownObjects = sql`
  select format('%s (relation of kind %s)', relname, relkind) as line from pg_class c
  where relnamespace = 'public'::regnamespace and (
    relkind not in ('r', 'v', 'i', 'S') or reloptions is not null or relrowsecurity or relhasrules and relkind <> 'v'
    or relispartition or relreplident <> 'd' and relkind = 'r'
    or relkind = 'S' and not exists (select from pg_depend where objid = c.oid and deptype = 'i'))
  union all
  select format('%s.%s (storage of a column)', attrelid::regclass, attname)
  from pg_attribute join pg_class c on c.oid = attrelid join pg_type t on t.oid = atttypid
  where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    and (attstorage <> typstorage or attcompression <> '' or attoptions is not null or attstattarget >= 0)
  union all
  select format('%s (type)', typname) from pg_type
  where typnamespace = 'public'::regnamespace and typtype <> 'c' and typcategory <> 'A'
  union all
  select format('%s (disabled trigger)', tgname) from pg_trigger where tgenabled <> 'O'
  union all
  select format('%s (aggregate or procedure)', proname) from pg_proc
  where pronamespace = 'public'::regnamespace and prokind <> 'f'
  union all
  select format('%s (extension)', extname) from pg_extension where extname <> 'plpgsql'
  union all
  select format('%s (comment)', objoid) from pg_description
  where classoid = 'pg_class'::regclass and objoid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`
