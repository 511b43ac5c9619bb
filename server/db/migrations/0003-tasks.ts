import { type Kysely, sql } from 'kysely'

/** Tasks, their versions, whom they are shared to, and the rooms that enabled them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tasks (
      id text primary key,
      company_id text not null references companies,
      owner_scope text not null check (owner_scope in ('chatroom', 'department', 'company')),
      owner_id text not null,
      name text not null check (length(name) between 1 and 256),
      description text not null default '' check (length(description) <= 2048),
      agent_enabled boolean not null default false,
      state text not null default 'active' check (state in ('active', 'archived')),
      security_state text not null default 'clear' check (security_state in ('clear', 'blocked')),
      current_published_version_id text,
      current_draft_version_id text,
      created_at timestamptz not null default now()
    );
    create index tasks_by_company on tasks (company_id, id);

    create table task_versions (
      id text primary key,
      task_id text not null references tasks,
      company_id text not null references companies,
      version_number int not null check (version_number >= 1),
      state text not null default 'draft' check (state in ('draft', 'published', 'archived')),
      content_state text not null default 'active' check (content_state in ('active', 'scrubbed')),
      environment_version_id text not null references environment_versions,
      startup_script text not null default '',
      work_script text not null default '',
      work_command text,
      ordinary_env jsonb,
      input_instructions text,
      input_example text,
      input_schema text,
      timeout_seconds int not null default 1800 check (timeout_seconds between 1 and 604680),
      secret_slot_declarations jsonb,
      requires_confirmation boolean not null default false,
      output_policy jsonb,
      canonical_digest text not null,
      content_hash text not null,
      created_by text not null,
      created_at timestamptz not null default now(),
      published_at timestamptz,
      archived_at timestamptz,
      unique (task_id, version_number),
      check (state <> 'published' or published_at is not null)
    );

    create table share_grants (
      id text primary key,
      company_id text not null references companies,
      task_id text not null references tasks,
      target_kind text not null check (target_kind in ('chatroom', 'department', 'company')),
      target_id text not null,
      generation int not null check (generation >= 1),
      state text not null default 'active' check (state in ('active', 'revoked')),
      owner_authority_generation int not null default 1,
      target_authority_generation int not null default 1,
      secret_slot_policies jsonb,
      created_at timestamptz not null default now(),
      revoked_at timestamptz,
      revoke_reason text not null default '',
      unique (task_id, target_kind, target_id, generation),
      check ((state = 'revoked') = (revoked_at is not null))
    );
    create unique index share_grants_one_live on share_grants (task_id, target_kind, target_id) where state = 'active';
    create index share_grants_by_target on share_grants (target_id, task_id) where state = 'active';

    create table bindings (
      id text primary key,
      company_id text not null references companies,
      chatroom_id text not null references chatrooms,
      task_id text not null references tasks,
      task_version_id text not null references task_versions,
      generation int not null check (generation >= 1),
      share_generation int not null,
      target_authority_generation int not null,
      state text not null default 'enabled' check (state in ('enabled', 'revoked')),
      accepted_at timestamptz not null default now(),
      revoked_at timestamptz,
      revoke_reason text not null default '',
      unique (chatroom_id, task_id, generation),
      check ((state = 'revoked') = (revoked_at is not null))
    );
    create unique index bindings_one_live on bindings (chatroom_id, task_id) where state = 'enabled';
    create index bindings_by_task on bindings (task_id) where state = 'enabled';
  `.execute(db)
}
