-- Storage and retention: what each company keeps on disk, counted by the statement that makes or removes it, and what
-- could not be removed when its time was over.

-- Bytes by company and kind. With the rows of kept_byte_changes they are exact at any time.
create table kept_bytes (
  company_id text not null,
  kind text not null,
  bytes bigint not null,
  primary key (company_id, kind)
);

-- Bytes that are not in kept_bytes yet. Rows are only added, so that no transaction waits for another to count; a loop folds
-- them.
create table kept_byte_changes (
  company_id text not null,
  kind text not null,
  bytes bigint not null check (bytes <> 0)
);
create index kept_byte_changes_by_company on kept_byte_changes (company_id);

-- The bound of a company without one of its own, as the service last started with it; one row at most.
create table storage_bounds (
  only_row boolean primary key default true check (only_row),
  company_bytes bigint not null check (company_bytes >= 1)
);

-- Bytes that runs are about to store, which are not counted yet. A row counts while its run is at work under its fence: the
-- transaction that ends the run counts its bytes.
create table storage_reservations (
  run_id text primary key,
  company_id text not null references companies,
  fence bigint not null,
  bytes bigint not null check (bytes >= 0)
);
create index storage_reservations_by_company on storage_reservations (company_id);

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
