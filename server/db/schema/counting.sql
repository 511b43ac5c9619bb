-- Counting: triggers add the bytes of rows to what a company keeps (counted.sql lists the tables).

-- Counts a table's rows: its triggers add the difference that a statement makes as one row of kept_byte_changes for each
-- company. Arguments: the kind, the bytes of a row, the column with its company; a row without one counts for nobody.
create function count_kept() returns trigger language plpgsql as $$
declare
  added constant text := format('select %I as company_id, (%s)::bigint as bytes from news', tg_argv[2], tg_argv[1]);
  removed constant text := format('select %I as company_id, -(%s)::bigint as bytes from olds', tg_argv[2], tg_argv[1]);
begin
  execute format(
    'insert into kept_byte_changes (company_id, kind, bytes)
     select company_id, %L, sum(bytes) from (%s) changed
     where company_id is not null group by company_id having sum(bytes) <> 0',
    tg_argv[0],
    case tg_op when 'INSERT' then added when 'DELETE' then removed else added || ' union all ' || removed end);
  return null;
end $$;

-- Has a table counted, now and in later migrations. `bytes` is an expression over its columns; `changes` says that an update
-- may change it. `planned` is for what runs, messages and rows make: the triggers get a function of their own, whose
-- statements are planned once a connection. count_kept() plans one each time, which costs several times as much as the
-- statement.
create function count_kept_of(
  counted regclass, kind text, bytes text, changes boolean default false, company text default 'company_id',
  planned boolean default false
) returns void language plpgsql as $$
declare
  bytes_in_a_line constant text := regexp_replace(bytes, '\s+', ' ', 'g');
  counter text := 'count_kept';
  event record;
begin
  if planned then
    counter := format('count_kept_%s', counted);
    execute format($body$
      create function %I() returns trigger language plpgsql as $counter$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select %4$I, %2$L, sum(%3$s)::bigint from news group by 1 having sum(%3$s) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select %4$I, %2$L, -sum(%3$s)::bigint from olds group by 1 having sum(%3$s) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, %2$L, sum(bytes)::bigint from (
            select %4$I as company_id, %3$s as bytes from news union all select %4$I, -(%3$s) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $counter$
    $body$, counter, kind, bytes_in_a_line, company);
  end if;
  for event in
    select * from (values
      ('insert', 'new table as news'),
      ('delete', 'old table as olds'),
      ('update', 'old table as olds new table as news')
    ) as events (name, tables)
    where name <> 'update' or changes
  loop
    execute format(
      'create trigger %I after %s on %s referencing %s for each statement execute function %I(%L, %L, %L)',
      format('count_kept_%s_%s', kind, event.name), event.name, counted, event.tables, counter, kind,
      bytes_in_a_line, company);
  end loop;
end $$;

-- The rows of a run count with its input while that is there, and fewer from then on, since its events go with its content.
-- Each run is inserted with an input, so a submission counts in one row.
create function count_kept_run_inputs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, 'inputs', sum(octet_length(content) + 3072) from news group by company_id;
  elsif tg_op = 'DELETE' then
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, kind, sum(bytes) from (
      select company_id, part.kind, part.bytes from olds
      cross join lateral (values ('inputs', -octet_length(content) - 3072), ('runs', 2048)) as part (kind, bytes)
    ) changed group by company_id, kind;
  else
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, 'inputs', sum(bytes) from (
      select company_id, octet_length(content) as bytes from news
      union all select company_id, -octet_length(content) from olds
    ) changed group by company_id having sum(bytes) <> 0;
  end if;
  return null;
end $$;
create trigger count_kept_insert after insert on run_inputs referencing new table as news
  for each statement execute function count_kept_run_inputs();
create trigger count_kept_delete after delete on run_inputs referencing old table as olds
  for each statement execute function count_kept_run_inputs();
create trigger count_kept_update after update on run_inputs referencing old table as olds new table as news
  for each statement execute function count_kept_run_inputs();

-- Bytes of a run's content by kind; a tombstoned one has none.
create function run_content_bytes(state text, output bigint, log bigint, bundle bigint)
returns table (kind text, bytes bigint) language sql immutable as $$
  select * from (values ('outputs', output), ('logs', log), ('artifacts', bundle)) as part (kind, bytes)
  where state <> 'tombstoned' and bytes is not null
$$;

create function count_kept_run_contents() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, part.kind, sum(part.bytes)
    from news cross join lateral run_content_bytes(state, output_bytes, log_bytes, bundle_bytes) part
    group by company_id, part.kind having sum(part.bytes) <> 0;
  elsif tg_op = 'DELETE' then
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, part.kind, -sum(part.bytes)
    from olds cross join lateral run_content_bytes(state, output_bytes, log_bytes, bundle_bytes) part
    group by company_id, part.kind having sum(part.bytes) <> 0;
  else
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, kind, sum(bytes) from (
      select company_id, part.kind, part.bytes
      from news cross join lateral run_content_bytes(state, output_bytes, log_bytes, bundle_bytes) part
      union all
      select company_id, part.kind, -part.bytes
      from olds cross join lateral run_content_bytes(state, output_bytes, log_bytes, bundle_bytes) part
    ) changed group by company_id, kind having sum(bytes) <> 0;
  end if;
  return null;
end $$;
create trigger count_kept_insert after insert on run_contents referencing new table as news
  for each statement execute function count_kept_run_contents();
create trigger count_kept_delete after delete on run_contents referencing old table as olds
  for each statement execute function count_kept_run_contents();
create trigger count_kept_update after update on run_contents referencing old table as olds new table as news
  for each statement execute function count_kept_run_contents();

-- Changes of state, other than those of runs. They are counted by row, since a run makes most of them and none of these.
create function count_state_event() returns trigger language plpgsql as $$
begin
  insert into kept_byte_changes (company_id, kind, bytes) values (new.company_id, 'state_events', 320);
  return null;
end $$;
create trigger count_kept_insert after insert on state_events for each row
  when (new.entity <> 'run' and new.company_id is not null) execute function count_state_event();

create function count_deleted_state_events() returns trigger language plpgsql as $$
begin
  insert into kept_byte_changes (company_id, kind, bytes)
  select company_id, 'state_events', -320 * count(*) from olds
  where entity <> 'run' and company_id is not null group by company_id;
  return null;
end $$;
create trigger count_kept_delete after delete on state_events referencing old table as olds
  for each statement execute function count_deleted_state_events();

-- The same from the rows themselves, for comparisons: what the triggers of count_kept_of() count by their arguments, and the
-- tables above.
create function sum_kept_rows() returns table (company_id text, kind text, bytes bigint)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  counted record;
begin
  for counted in
    select tgrelid::regclass as rows, string_to_array(encode(tgargs, 'escape'), '\000') as arguments
    from pg_trigger where tgname ~ '^count_kept_.+_insert$' and tgnargs = 3
  loop
    return query execute format(
      'select %1$I, %L, sum(%s)::bigint from %s where %1$I is not null group by 1',
      counted.arguments[3], counted.arguments[1], counted.arguments[2], counted.rows);
  end loop;
  return query
    select i.company_id, part.kind, sum(part.bytes)::bigint from run_inputs i
    cross join lateral (values ('inputs', octet_length(i.content) + 3072), ('runs', -2048)) as part (kind, bytes)
    group by i.company_id, part.kind
    union all select r.company_id, 'runs', 2048 * count(*) from runs r group by r.company_id
    union all select c.company_id, part.kind, sum(part.bytes)::bigint from run_contents c
    cross join lateral run_content_bytes(c.state, c.output_bytes, c.log_bytes, c.bundle_bytes) part
    group by c.company_id, part.kind
    union all select e.company_id, 'state_events', 320 * count(*) from state_events e
    where e.entity <> 'run' and e.company_id is not null group by e.company_id;
end $$;
create view kept_sources as select * from sum_kept_rows();
