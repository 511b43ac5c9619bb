-- External people in rooms, known to the company by channel and client id. A removed one keeps its row, since runs refer
-- to it.
create table social_media_clients (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  channel text not null check (channel in ('line', 'messenger', 'whatsapp')),
  client_id text not null check (client_id ~ '^[A-Za-z0-9_.:@+-]{1,128}$'),
  display_name text not null default '' check (length(display_name) <= 256),
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
);
create unique index social_media_clients_live
  on social_media_clients (company_id, channel, client_id) where removed_at is null;
create index social_media_clients_by_room on social_media_clients (chatroom_id, id);

-- Keys of chat pipelines, which post messages on behalf of people of one company.
create table gateway_keys (
  id text primary key,
  company_id text not null references companies,
  name text not null check (length(name) between 1 and 256),
  -- HMAC-SHA-256 of the key under the pepper of that number
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  pepper integer not null check (pepper between 0 and 999999),
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  last_used_at timestamptz
);
create unique index gateway_keys_live_name on gateway_keys (company_id, name) where revoked_at is null;

-- The number of the last message of a room. It outlives the messages.
create table room_sequences (
  chatroom_id text primary key,
  company_id text not null,
  last_sequence bigint not null check (last_sequence >= 1),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
);

-- Messages of people: each starts a turn in which an agent may act.
create table room_messages (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  sequence bigint not null check (sequence >= 1),
  principal_type text not null check (principal_type in ('user', 'social_media_client')),
  principal_id text not null,
  -- null: the person posted it
  gateway_key_id text,
  text text not null check (length(text) between 1 and 16384),
  created_at timestamptz not null default now(),
  unique (chatroom_id, sequence),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
);
create index room_messages_age on room_messages (created_at);

-- Jobs that agents proposed and people confirm. A turn commits at most one proposal, and a proposal is one run.
create table agent_proposals (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  principal_type text not null check (principal_type in ('user', 'social_media_client')),
  principal_id text not null,
  -- the message of the turn that it was proposed in; null: a person's own client proposed it outside of any turn
  origin_message_id text,
  origin_sequence bigint not null check (origin_sequence >= 0),
  task_id text not null,
  task_version_id text not null,
  timeout_seconds int not null check (timeout_seconds between 1 and 604680),
  input bytea not null check (octet_length(input) <= 1048576),
  input_digest text not null check (input_digest ~ '^sha256:[0-9a-f]{64}$'),
  summary text not null,
  state text not null default 'prepared' check (state in
    ('prepared', 'committing', 'committed', 'superseded', 'cancelled', 'expired', 'failed')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  turn_message_id text constraint agent_proposals_one_commit_a_turn unique,
  run_id text unique,
  constraint agent_proposals_committed
    check ((state = 'committed') = (run_id is not null) and (state = 'committed') = (turn_message_id is not null)),
  constraint agent_proposals_ended check ((state in ('prepared', 'committing')) = (ended_at is null)),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
);
create unique index agent_proposals_one_pending
  on agent_proposals (company_id, principal_type, principal_id) where state in ('prepared', 'committing');
create index agent_proposals_expiry on agent_proposals (expires_at) where state = 'prepared';
create index agent_proposals_ended on agent_proposals (ended_at) where ended_at is not null;

-- Both count to the bytes that their company keeps. A short message counts as a kibibyte, so that rows are bounded too.
create function count_kept_messages() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'DELETE' then
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, 'messages', sum(1024 + octet_length(text)) from news group by company_id;
    else
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, 'messages', -sum(1024 + octet_length(text)) from olds group by company_id;
    end if;
    return null;
  end $$;
create trigger count_kept_insert after insert on room_messages referencing new table as news
  for each statement execute function count_kept_messages();
create trigger count_kept_delete after delete on room_messages referencing old table as olds
  for each statement execute function count_kept_messages();

create function count_kept_proposals() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'DELETE' then
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, 'proposals', sum(1024 + octet_length(input)) from news group by company_id;
    else
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, 'proposals', -sum(1024 + octet_length(input)) from olds group by company_id;
    end if;
    return null;
  end $$;
create trigger count_kept_insert after insert on agent_proposals referencing new table as news
  for each statement execute function count_kept_proposals();
create trigger count_kept_delete after delete on agent_proposals referencing old table as olds
  for each statement execute function count_kept_proposals();

do $block$
begin
  execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ') || $view$
    union all select company_id, 'messages', (1024 + octet_length(text))::bigint from room_messages
    union all select company_id, 'proposals', (1024 + octet_length(input))::bigint from agent_proposals$view$;
end
$block$;
