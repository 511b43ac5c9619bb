-- Storage and retention: what each company keeps on disk, counted by the statement that makes or removes it, and what
-- could not be removed when its time was over.

-- Bytes by company and kind. With the rows of kept_byte_changes they are exact at any time.
create table kept_bytes (
  company_id text not null,
  kind text not null,
  bytes bigint not null,
  primary key (company_id, kind)
);

-- What is not in kept_bytes yet. Rows are only added, so that no transaction waits for another to count; a loop folds them.
create table kept_byte_changes (
  company_id text not null,
  kind text not null,
  bytes bigint not null check (bytes <> 0)
);
create index kept_byte_changes_by_company on kept_byte_changes (company_id);

-- What a company without a bound of its own may keep, as the service last started with it; one row at most.
create table storage_bounds (
  only_row boolean primary key default true check (only_row),
  company_bytes bigint not null check (company_bytes >= 1)
);

-- Each layer of a company once, whatever the number of versions that have it: they share its bytes, in storage and on the
-- host. The row of a layer is locked until the transaction ends, so of two versions that come and go together each sees
-- the other.
create table kept_images (
  company_id text not null references companies,
  layer_digest text not null,
  versions int not null check (versions >= 0),
  byte_size bigint not null check (byte_size >= 0),
  primary key (company_id, layer_digest)
);

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

-- The triggers that count. For each table below: which company a row r counts for (null: none), the kinds of what it keeps
-- and the bytes of each kind. Of these the block makes, for TABLE and for insert, update and delete, the function
-- count_kept_EVENT_TABLE() and the trigger count_kept_EVENT, which adds the difference that a statement makes as one row
-- for each company and kind; and the view kept_sources, which reads the same from the rows themselves, for whoever
-- compares. docs/schema.sql has them written out.
do $block$
declare
  source record;
  part_values text;
  added text;
  removed text;
  view_parts text[] := '{}';
  note constant text := $note$
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, kind, sum(bytes)::bigint from (%s) changed
    where company_id is not null group by company_id, kind having sum(bytes) <> 0$note$;
  body constant text := $body$
    begin
      %s;
      return null;
    end $body$;
  side constant text := $side$
    select %s as company_id, part.kind, %spart.bytes as bytes
    from %s r cross join lateral (values %s) as part (kind, bytes)$side$;
begin
  for source in
    select * from (values
      ('run_inputs', 'r.company_id', array[
        ['inputs', $$coalesce(octet_length(r.content), 0)$$]]),
      ('run_contents', 'r.company_id', array[
        ['outputs', $$case when r.state = 'tombstoned' then 0 else coalesce(r.output_bytes, 0) end$$],
        ['logs', $$case when r.state = 'tombstoned' then 0 else coalesce(r.log_bytes, 0) end$$],
        ['artifacts', $$case when r.state = 'tombstoned' then 0 else coalesce(r.bundle_bytes, 0) end$$]]),
      ('owned_objects', 'r.company_id', array[
        ['archives', $$case when r.object_kind = 'context' and r.deletion_state in ('active', 'delete_pending')$$
          || $$ then r.byte_size else 0 end$$],
        ['reports', $$case when r.object_kind <> 'context' and r.deletion_state in ('active', 'delete_pending')$$
          || $$ then r.byte_size else 0 end$$]]),
      -- An upload that is under way counts as what it declared.
      ('upload_sessions', 'r.company_id', array[
        ['uploads', $$case when r.state in ('completed', 'aborted') then 0 else r.declared_bytes end$$]]),
      ('staging_leases', 'r.company_id', array[
        ['uploads', $$case when r.held_until is null then 0 else r.declared_bytes end$$]]),
      ('script_uploads', 'r.company_id', array[['scripts', 'r.byte_size']]),
      -- Text is measured as it is stored, without being read.
      ('task_versions', 'r.company_id', array[
        ['scripts', 'coalesce(octet_length(r.startup_script), 0)'
          || ' + coalesce(octet_length(r.work_script), 0)'
          || ' + coalesce(octet_length(r.work_command), 0)'
          || ' + coalesce(octet_length(r.input_instructions), 0)'
          || ' + coalesce(octet_length(r.input_example), 0)'
          || ' + coalesce(octet_length(r.input_schema), 0)']]),
      ('task_bundles', 'r.company_id', array[['bundles', 'r.byte_size']]),
      ('kept_images', 'r.company_id', array[['images', 'r.byte_size']]),
      ('build_attempts', 'r.company_id', array[
        ['build_logs', $$case when r.log_removed_at is null then r.log_bytes else 0 end$$]]),
      ('build_prefixes', 'r.company_id', array[['cached_layers', 'r.byte_size']]),
      ('pulled_images', 'r.pulled_by', array[['base_images', 'r.byte_size']])
    ) as sources (table_name, company, parts)
  loop
    select string_agg(format('(%L, (%s)::bigint)', source.parts[i][1], source.parts[i][2]), ', ' order by i)
      into part_values from generate_subscripts(source.parts, 1) as i;
    added := format(side, source.company, '', 'news', part_values);
    removed := format(side, source.company, '-', 'olds', part_values);

    execute format('create function count_kept_insert_%s() returns trigger language plpgsql as %L',
      source.table_name, format(body, format(note, added)));
    execute format('create trigger count_kept_insert after insert on %1$s referencing new table as news
      for each statement execute function count_kept_insert_%1$s()', source.table_name);

    execute format('create function count_kept_delete_%s() returns trigger language plpgsql as %L',
      source.table_name, format(body, format(note, removed)));
    execute format('create trigger count_kept_delete after delete on %1$s referencing old table as olds
      for each statement execute function count_kept_delete_%1$s()', source.table_name);

    execute format('create function count_kept_update_%s() returns trigger language plpgsql as %L',
      source.table_name, format(body, format(note, added || ' union all ' || removed)));
    execute format('create trigger count_kept_update after update on %1$s
      referencing old table as olds new table as news
      for each statement execute function count_kept_update_%1$s()', source.table_name);

    view_parts := view_parts || format(
      'select %1$s as company_id, part.kind, part.bytes
      from %2$s r cross join lateral (values %3$s) as part (kind, bytes)
      where %1$s is not null and part.bytes <> 0', source.company, source.table_name, part_values);
  end loop;
  execute 'create view kept_sources as ' || array_to_string(view_parts, ' union all ');
end
$block$;

-- Things that could not be removed when their time was over, and when each is tried again: others go before it.
create table removal_failures (
  thing text primary key,
  attempts int not null check (attempts >= 1),
  next_at timestamptz not null
);
create index removal_failures_age on removal_failures (next_at);
