-- The audit log: one hash chain a company, and one of the deployment (company_id ''). A row of audit_pending is written in
-- the transaction of each change; chain_audit_entries() moves what is committed into the chains. So writers of a company
-- never wait for a chain, and a chain has no gap, whatever is killed: a pending row is there until it is an entry.
create table audit_pending (
  id bigint generated always as identity primary key,
  company_id text not null,
  at timestamptz(3) not null default clock_timestamp(),
  -- insert, update, delete, state
  change text not null,
  object_type text not null,
  object_id text not null,
  chatroom_id text,
  run_id text,
  slot text,
  from_state text,
  to_state text,
  digest_before bytea,
  digest_after bytea,
  -- who acts, as JSON that the connection was given; empty: the service itself
  context text not null default coalesce(current_setting('sandbox_jobs.audit', true), ''),
  account text not null default session_user
);

create table audit_entries (
  company_id text not null,
  -- without gaps
  sequence bigint not null,
  at timestamptz(3) not null,
  action text not null,
  actor_type text not null,
  actor_id text not null,
  api_key_id text,
  turn_id text,
  request_id text,
  change text not null,
  object_type text not null,
  object_id text not null,
  chatroom_id text,
  run_id text,
  slot text,
  from_state text,
  to_state text,
  digest_before bytea,
  digest_after bytea,
  -- over this entry and the hash of the one before it
  hash bytea not null,
  primary key (company_id, sequence)
);
create index audit_entries_by_time on audit_entries (company_id, at, sequence);
create index audit_entries_by_object on audit_entries (company_id, object_id, at, sequence);
create index audit_entries_by_actor on audit_entries (company_id, actor_id, at, sequence) where actor_type <> 'service';

-- The ends of each chain. Entries up to `start_sequence` were removed when their time was over.
create table audit_chains (
  company_id text primary key,
  start_sequence bigint not null default 0,
  start_hash bytea not null default '',
  sequence bigint not null default 0,
  hash bytea not null default '',
  check (sequence >= start_sequence)
);

-- The newest head of each chain that the worker has signed: who cuts the end of a chain cannot sign an earlier one.
create table audit_heads (
  company_id text primary key,
  sequence bigint not null,
  hash bytea not null,
  signed_at timestamptz(3) not null,
  key_id text not null,
  signature bytea not null
);

-- Keys the digests of rows: who reads the log cannot guess a value from its digest. No role of the service reads it.
create table audit_salt (
  single boolean primary key default true check (single),
  salt bytea not null check (length(salt) >= 32)
);
insert into audit_salt (salt)
  select uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());

create function keep_audit_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('sandbox_jobs.audit_trim', true) = 'on' then
    return null;
  end if;
  raise exception 'audit_entries is only ever added to';
end $$;
create trigger audit_entries_kept before update or delete or truncate on audit_entries
  for each statement execute function keep_audit_entries();

-- The hash of an entry: sha256 over a JSON array in the text form of jsonb. `contract/audit` computes the same.
create function audit_entry_hash(e audit_entries, before bytea) returns bytea
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select sha256(convert_to(jsonb_build_array(
    encode(before, 'hex'), e.company_id, e.sequence, (extract(epoch from e.at) * 1000)::bigint, e.action, e.actor_type,
    e.actor_id, e.api_key_id, e.turn_id, e.request_id, e.change, e.object_type, e.object_id, e.chatroom_id, e.run_id,
    e.slot, e.from_state, e.to_state, encode(e.digest_before, 'hex'), encode(e.digest_after, 'hex')
  )::text, 'UTF8'))
$$;

-- The context that a connection gives: who acts. Nothing that is no object is believed.
create function audit_context(context text) returns jsonb language plpgsql immutable as $$
begin
  if context = '' or jsonb_typeof(context::jsonb) <> 'object' then
    return '{}';
  end if;
  return context::jsonb;
exception when others then
  return '{}';
end $$;

-- Appends one entry to the chain of `head`, and returns the new head.
create function append_audit_entry(p audit_pending, head audit_chains) returns audit_chains
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  c jsonb := public.audit_context(p.context);
  e audit_entries;
begin
  e.company_id := head.company_id;
  e.sequence := head.sequence + 1;
  e.at := p.at;
  e.action := left(coalesce(c->>'action', 'service'), 128);
  e.actor_type := left(coalesce(c->>'actor_type', 'service'), 64);
  e.actor_id := left(coalesce(c->>'actor_id', p.account), 256);
  e.api_key_id := left(c->>'api_key_id', 64);
  e.turn_id := left(c->>'turn_id', 64);
  e.request_id := left(c->>'request_id', 64);
  e.change := p.change;
  e.object_type := p.object_type;
  e.object_id := left(p.object_id, 256);
  e.chatroom_id := left(coalesce(p.chatroom_id, c->>'chatroom_id'), 64);
  e.run_id := coalesce(p.run_id, left(c->>'run_id', 64));
  e.slot := p.slot;
  e.from_state := p.from_state;
  e.to_state := p.to_state;
  e.digest_before := p.digest_before;
  e.digest_after := p.digest_after;
  e.hash := audit_entry_hash(e, head.hash);
  insert into audit_entries values (e.*);
  head.sequence := e.sequence;
  head.hash := e.hash;
  return head;
end $$;

-- The one transaction that appends to chains. Released at its end.
create function lock_audit_chains() returns boolean language sql as $$
  select pg_try_advisory_xact_lock(7210, 0)
$$;

-- The head of a company's chain, locked. Entries are never overwritten, so it is not before the newest entry, whatever
-- somebody did to audit_chains: a damaged chain stops no other.
create function audit_chain_for_update(company text) returns audit_chains
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  head audit_chains;
  newest audit_entries;
begin
  insert into audit_chains (company_id) values (company) on conflict do nothing;
  select * into head from audit_chains where company_id = company for update;
  select * into newest from audit_entries where company_id = company order by sequence desc limit 1;
  if newest.sequence > head.sequence then
    head.sequence := newest.sequence;
    head.hash := newest.hash;
  end if;
  return head;
end $$;

-- Moves the oldest pending rows that are committed into their chains, `most` at most, and returns how many. Rows of a
-- transaction that commits later get later numbers. Zero while another session does it.
create function chain_audit_entries(most int) returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  p audit_pending;
  head audit_chains;
  ids bigint[] := '{}';
begin
  if not lock_audit_chains() then
    return 0;
  end if;
  for p in
    select * from (select * from audit_pending order by id limit most) oldest order by company_id, id
  loop
    if head.company_id is distinct from p.company_id then
      update audit_chains set sequence = head.sequence, hash = head.hash where company_id = head.company_id;
      head := audit_chain_for_update(p.company_id);
    end if;
    head := append_audit_entry(p, head);
    ids := ids || p.id;
  end loop;
  update audit_chains set sequence = head.sequence, hash = head.hash where company_id = head.company_id;
  delete from audit_pending where id = any(ids);
  return cardinality(ids);
end $$;

-- Removes the oldest entries of a company's chain: those from before `older_than`, and those beyond `most_kept`; `most` at
-- most, and returns how many. The chain keeps the hash of the last removed entry, and an entry says that it was so.
create function trim_audit_entries(company text, older_than timestamptz, most_kept bigint, most int) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  head audit_chains;
  p audit_pending;
  cut bigint;
begin
  perform pg_advisory_xact_lock(7210, 0);
  head := audit_chain_for_update(company);
  select coalesce(min(sequence) filter (where at >= older_than), head.start_sequence + most + 1) - 1 into cut
  from audit_entries
  where company_id = company and sequence > head.start_sequence and sequence <= head.start_sequence + most;
  cut := least(greatest(cut, head.sequence - most_kept), head.start_sequence + most, head.sequence);
  if cut <= head.start_sequence then
    return 0;
  end if;
  most := cut - head.start_sequence;
  head.start_sequence := cut;
  select hash into head.start_hash from audit_entries where company_id = company and sequence <= cut
  order by sequence desc limit 1;
  head.start_hash := coalesce(head.start_hash, '');
  perform set_config('sandbox_jobs.audit_trim', 'on', true);
  delete from audit_entries where company_id = company and sequence <= cut;
  perform set_config('sandbox_jobs.audit_trim', '', true);
  p.company_id := company;
  p.at := clock_timestamp();
  p.change := 'delete';
  p.object_type := 'audit_log';
  p.object_id := cut::text;
  p.digest_after := head.start_hash;
  p.context := '{"action":"audit_retention"}';
  p.account := session_user;
  head := append_audit_entry(p, head);
  update audit_chains set start_sequence = head.start_sequence, start_hash = head.start_hash,
    sequence = head.sequence, hash = head.hash
  where company_id = company;
  return most;
end $$;

revoke execute on function chain_audit_entries(int) from public;
revoke execute on function trim_audit_entries(text, timestamptz, bigint, int) from public;
