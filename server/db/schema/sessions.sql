-- Sessions: files that stay between runs. A session points to a tree: the list of its files, folders and links, with the
-- place of each file's bytes in a pack. Trees and packs never change. A change of files is a new tree and one update of the
-- pointer, so a session has what was before the change or after it, and a fork is a row that points to the same tree.

create table session_trees (
  id text primary key,
  company_id text not null references companies,
  content bytea not null,
  -- When a session stopped pointing to it: a sweep looks whether another one does.
  left_at timestamptz,
  unique (company_id, id)
);
create index session_trees_left on session_trees (left_at) where left_at is not null;

-- Bytes of files, one after another, as one object. Until a tree names it, a pack belongs to whoever writes it, and counts what
-- that has reserved.
create table session_packs (
  id text primary key,
  company_id text not null references companies,
  storage_key text not null unique,
  byte_size bigint not null check (byte_size >= 0),
  -- When a sweep looks whether a tree names it; null: one does.
  held_until timestamptz,
  unique (company_id, id)
);
create index session_packs_held on session_packs (held_until) where held_until is not null;
create index session_packs_written on session_packs (company_id, held_until) where held_until is not null;

create table session_tree_packs (
  tree_id text not null,
  pack_id text not null,
  company_id text not null,
  primary key (tree_id, pack_id),
  foreign key (company_id, tree_id) references session_trees (company_id, id) on delete cascade,
  foreign key (company_id, pack_id) references session_packs (company_id, id)
);
create index session_tree_packs_by_pack on session_tree_packs (pack_id);

create table sessions (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  principal_type text not null check (principal_type in ('user', 'social_media_client')),
  principal_id text not null,
  -- The key that created it: to a sandbox-scope key no other sessions exist.
  api_key_id text,
  name text check (length(name) between 1 and 200),
  size_limit_bytes bigint not null check (size_limit_bytes >= 1),
  -- Null: no files.
  tree_id text,
  byte_size bigint not null default 0 check (byte_size >= 0),
  file_count int not null default 0 check (file_count >= 0),
  revision int not null default 1 check (revision >= 1),
  -- The run that holds it, from the queue to its end. Only the trigger below and the submission of a run write it.
  holder_run_id text,
  keep_hours int not null check (keep_hours >= 1),
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- The user of a platform whose files they are, as the platform names them: each has one session of a door, which is the key
  -- that created it.
  person text check (length(person) between 1 and 128),
  constraint sessions_person_of_key check (person is null or api_key_id is not null),
  constraint sessions_of_company unique (company_id, id),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id),
  foreign key (company_id, tree_id) references session_trees (company_id, id)
);
create index sessions_by_owner on sessions (chatroom_id, principal_id, id);
create index sessions_by_tree on sessions (tree_id) where tree_id is not null;
create index sessions_expired on sessions (expires_at);
create unique index sessions_of_person on sessions (api_key_id, person) where person is not null;
create unique index sessions_held on sessions (holder_run_id) where holder_run_id is not null;

-- The statement that ends a run gives its session to the oldest run that waits for it. A run that still waits holds nothing.
-- The end of runs locks them before the session, and only the end of the holder locks a waiting run, so none waits in a circle.
create function release_session() returns trigger language plpgsql as $$
declare next_run text;
begin
  perform from sessions where id = new.session_id and company_id = new.company_id for update;
  select id into next_run from runs
    where session_id = new.session_id and company_id = new.company_id and state = 'queued' and waits_for_session
    order by queued_at, id limit 1 for update;
  if next_run is not null then
    update runs set waits_for_session = false where id = next_run and company_id = new.company_id;
    perform notify_after_commit('runs_queued', '');
  end if;
  update sessions set holder_run_id = next_run, last_used_at = now(),
      expires_at = now() + make_interval(hours => keep_hours)
    where id = new.session_id and company_id = new.company_id;
  return null;
end $$;
create trigger release_session after update on runs for each row
  when (old.terminal_at is null and new.terminal_at is not null and new.session_id is not null
    and not new.waits_for_session)
  execute function release_session();

-- The sweep looks at what nothing points to any more.
create function leave_session_tree() returns trigger language plpgsql as $$
begin
  update session_trees set left_at = now() where id = old.tree_id and company_id = old.company_id;
  return null;
end $$;
create trigger leave_session_tree after delete on sessions for each row
  when (old.tree_id is not null) execute function leave_session_tree();
create trigger change_session_tree after update of tree_id on sessions for each row
  when (old.tree_id is not null and old.tree_id is distinct from new.tree_id) execute function leave_session_tree();

create function leave_session_pack() returns trigger language plpgsql as $$
begin
  update session_packs set held_until = now() where id = old.pack_id and company_id = old.company_id;
  return null;
end $$;
create trigger leave_session_pack after delete on session_tree_packs for each row execute function leave_session_pack();

-- In which folder of a session the commands of a conversation start. A conversation without a row starts in the session's
-- own folder. The writer of a row deletes all but the newest of the session.
create table session_folders (
  session_id text not null,
  company_id text not null references companies,
  -- as the platform names it
  conversation text not null check (length(conversation) between 1 and 128),
  folder text not null check (octet_length(folder) between 1 and 1024),
  used_at timestamptz not null default clock_timestamp(),
  primary key (session_id, conversation),
  foreign key (company_id, session_id) references sessions (company_id, id) on delete cascade
);
