import { type Kysely, sql } from 'kysely'

/**
 * What each company keeps on disk, counted by the statement that makes or removes it. Triggers add rows to
 * `kept_byte_changes`, so that no transaction waits for another to count; a loop folds them into `kept_bytes`, and a
 * reader adds both up. The view `kept_sources` reads the same from the rows themselves, for whoever compares.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table kept_bytes (
      company_id text not null,
      kind text not null,
      bytes bigint not null,
      primary key (company_id, kind)
    );
    create table kept_byte_changes (
      company_id text not null,
      kind text not null,
      bytes bigint not null check (bytes <> 0)
    );
    create index kept_byte_changes_by_company on kept_byte_changes (company_id);

    -- What the deployment has for a company without a bound of its own, as the service last started with it.
    create table storage_bounds (
      only_row boolean primary key default true check (only_row),
      company_bytes bigint not null check (company_bytes >= 1)
    );
    alter table company_settings add column kept_bytes_limit bigint check (kept_bytes_limit >= 1);
    alter table build_attempts
      add column log_bytes bigint not null default 0 check (log_bytes >= 0);
    -- Which company had it pulled; what all may use still counts to somebody.
    alter table pulled_images add column pulled_by text references companies;
    update pulled_images set pulled_by = scope where scope <> 'shared';

    -- Versions with the same layer share its bytes, in storage and on the host.
    create table kept_images (
      company_id text not null references companies,
      layer_digest text not null,
      versions int not null check (versions >= 0),
      byte_size bigint not null check (byte_size >= 0),
      primary key (company_id, layer_digest)
    );
  `.execute(db)
  await images(db)
  for (const source of sources) await count(db, source)
  const parts = sources.map(({ table, company, parts }) =>
    sql.raw(`select ${company} as company_id, part.kind, part.bytes
      from ${table} r cross join lateral (values ${valuesOf(parts)}) as part (kind, bytes)
      where ${company} is not null and part.bytes <> 0`),
  )
  await sql`
    create view kept_sources as ${sql.join(parts, sql` union all `)};
    insert into kept_bytes (company_id, kind, bytes)
    select company_id, kind, sum(bytes)::bigint from kept_sources group by company_id, kind;
  `.execute(db)
}

interface Source {
  table: string
  /** Of a row `r`; null: nobody's. */
  company: string
  /** What it keeps, by kind, of a row `r`. */
  parts: Record<string, string>
}

/** Text is measured as it is stored, without being read. */
const bytesOf = (...columns: string[]) =>
  columns.map((column) => `coalesce(octet_length(r.${column}), 0)`).join(' + ')

const sources: Source[] = [
  { table: 'run_inputs', company: 'r.company_id', parts: { inputs: bytesOf('content') } },
  {
    table: 'run_contents',
    company: 'r.company_id',
    parts: Object.fromEntries(
      [
        ['outputs', 'output_bytes'],
        ['logs', 'log_bytes'],
        ['artifacts', 'bundle_bytes'],
      ].map(([kind, column]) => [
        kind,
        `case when r.state = 'tombstoned' then 0 else coalesce(r.${column}, 0) end`,
      ]),
    ),
  },
  {
    table: 'owned_objects',
    company: 'r.company_id',
    parts: Object.fromEntries(
      [
        ['archives', `r.object_kind = 'context'`],
        ['reports', `r.object_kind <> 'context'`],
      ].map(([kind, is]) => [
        kind,
        `case when ${is} and r.deletion_state in ('active', 'delete_pending') then r.byte_size else 0 end`,
      ]),
    ),
  },
  {
    // An upload that is under way counts as what it declared.
    table: 'upload_sessions',
    company: 'r.company_id',
    parts: { uploads: `case when r.state in ('completed', 'aborted') then 0 else r.declared_bytes end` },
  },
  {
    table: 'staging_leases',
    company: 'r.company_id',
    parts: { uploads: `case when r.held_until is null then 0 else r.declared_bytes end` },
  },
  { table: 'script_uploads', company: 'r.company_id', parts: { scripts: 'r.byte_size' } },
  {
    table: 'task_versions',
    company: 'r.company_id',
    parts: {
      scripts: bytesOf(
        'startup_script',
        'work_script',
        'work_command',
        'input_instructions',
        'input_example',
        'input_schema',
      ),
    },
  },
  { table: 'task_bundles', company: 'r.company_id', parts: { bundles: 'r.byte_size' } },
  { table: 'kept_images', company: 'r.company_id', parts: { images: 'r.byte_size' } },
  {
    table: 'build_attempts',
    company: 'r.company_id',
    parts: { build_logs: 'case when r.log_removed_at is null then r.log_bytes else 0 end' },
  },
  { table: 'build_prefixes', company: 'r.company_id', parts: { cached_layers: 'r.byte_size' } },
  { table: 'pulled_images', company: 'r.pulled_by', parts: { base_images: 'r.byte_size' } },
]

const valuesOf = (parts: Source['parts']) =>
  Object.entries(parts)
    .map(([kind, bytes]) => `('${kind}', (${bytes})::bigint)`)
    .join(', ')

/** Notes the difference that a statement makes, as one row for each company and kind. */
async function count(db: Kysely<unknown>, { table, company, parts }: Source): Promise<void> {
  const side = (rows: string, sign: '' | '-') => `
    select ${company} as company_id, part.kind, ${sign}part.bytes as bytes
    from ${rows} r cross join lateral (values ${valuesOf(parts)}) as part (kind, bytes)`
  const note = (changed: string) => `
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, kind, sum(bytes)::bigint from (${changed}) changed
    where company_id is not null group by company_id, kind having sum(bytes) <> 0`
  const trigger = (event: string, rows: string, changed: string) => `
    create function count_kept_${event}_${table}() returns trigger language plpgsql as $$
    begin
      ${note(changed)};
      return null;
    end $$;
    create trigger count_kept_${event} after ${event} on ${table} referencing ${rows}
      for each statement execute function count_kept_${event}_${table}();`
  await sql
    .raw(
      [
        trigger('insert', 'new table as news', side('news', '')),
        trigger('delete', 'old table as olds', side('olds', '-')),
        trigger(
          'update',
          'old table as olds new table as news',
          `${side('news', '')} union all ${side('olds', '-')}`,
        ),
      ].join('\n'),
    )
    .execute(db)
}

/**
 * Each layer of a company once, whatever the number of its versions. The row of a layer is held until the transaction
 * ends, so of two versions that come and go together each sees the other.
 */
async function images(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function hold_image(company text, layer text, bytes bigint) returns void language sql as $$
      insert into kept_images (company_id, layer_digest, versions, byte_size) values (company, layer, 1, bytes)
      on conflict (company_id, layer_digest) do update set versions = kept_images.versions + 1
    $$;
    create function drop_image(company text, layer text) returns void language plpgsql as $$
    begin
      update kept_images set versions = versions - 1 where company_id = company and layer_digest = layer;
      delete from kept_images where company_id = company and layer_digest = layer and versions = 0;
    end $$;

    create function count_kept_layer() returns trigger language plpgsql as $$
    declare
      old_layer text; new_layer text;
    begin
      if tg_op <> 'INSERT' then old_layer := coalesce(old.layer_digest, old.retiring_layer_digest); end if;
      if tg_op <> 'DELETE' then new_layer := coalesce(new.layer_digest, new.retiring_layer_digest); end if;
      if old_layer is distinct from new_layer then
        if new_layer is not null and new.company_id is not null then
          perform hold_image(new.company_id, new_layer,
            coalesce(new.compressed_bytes, 0) + coalesce(new.unpacked_bytes, 0));
        end if;
        if old_layer is not null and old.company_id is not null then
          perform drop_image(old.company_id, old_layer);
        end if;
      end if;
      return null;
    end $$;
    create trigger count_kept_layer after insert or delete or update of layer_digest, retiring_layer_digest
      on environment_versions for each row execute function count_kept_layer();

    insert into kept_images (company_id, layer_digest, versions, byte_size)
    select company_id, coalesce(layer_digest, retiring_layer_digest), count(*),
      max(coalesce(compressed_bytes, 0) + coalesce(unpacked_bytes, 0))
    from environment_versions
    where company_id is not null and coalesce(layer_digest, retiring_layer_digest) is not null
    group by 1, 2;
  `.execute(db)
}
