-- Agents: messages of rooms, and what agents propose in the turns that these start.

-- The number of the last message of a room. It outlives the messages.
create table room_sequences (
  chatroom_id text primary key,
  company_id text not null,
  last_sequence bigint not null check (last_sequence >= 1),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
);

-- Messages of people: each starts a turn in which an agent may act. A message of the service (`system`) is no human turn: no
-- signed context is ever made for it.
create table room_messages (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  sequence bigint not null check (sequence >= 1),
  principal_type text not null check (principal_type in ('user', 'social_media_client', 'system')),
  principal_id text not null,
  -- null: the person posted it
  gateway_key_id text,
  text text not null check (length(text) between 1 and 16384),
  created_at timestamptz not null default now(),
  -- the run whose end a message of the service tells
  run_id text,
  constraint room_messages_of_service check ((principal_type = 'system') = (run_id is not null)),
  unique (chatroom_id, sequence),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
);
create index room_messages_age on room_messages (created_at);
create unique index room_messages_one_end on room_messages (run_id) where run_id is not null;

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

-- A proposal that begins or ends to wait notifies the streams of its person.
create function notify_of_proposal() returns trigger language plpgsql as $$
begin
  perform notify_company_change(new.company_id, 'proposal', new.principal_id);
  return null;
end $$;
create trigger notify_of_proposal after insert or update of state on agent_proposals
  for each row execute function notify_of_proposal();
