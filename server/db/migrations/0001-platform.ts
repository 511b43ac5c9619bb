import { type Kysely, sql } from 'kysely'

/**
 * Companies, departments, chatrooms, users and their keys: the tenant directory. References carry the company, so
 * that no row can join things of two tenants.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table companies (
      id text primary key,
      name text not null unique check (length(name) between 1 and 256),
      created_at timestamptz not null default now()
    );

    create table departments (
      id text primary key,
      company_id text not null references companies,
      name text not null check (length(name) between 1 and 256),
      created_at timestamptz not null default now(),
      unique (company_id, name),
      unique (company_id, id)
    );

    create table chatrooms (
      id text primary key,
      company_id text not null references companies,
      department_id text not null,
      name text not null check (length(name) between 1 and 256),
      -- Raised when the room moves to another department or is deleted: what was granted before no longer applies.
      authority_generation int not null default 1 check (authority_generation >= 1),
      jobs text[],
      jobs_updated_at timestamptz,
      deleted_at timestamptz,
      created_at timestamptz not null default now(),
      unique (company_id, id),
      foreign key (company_id, department_id) references departments (company_id, id)
    );
    create unique index chatrooms_live_name on chatrooms (department_id, name) where deleted_at is null;

    create table users (
      id text primary key,
      company_id text not null references companies,
      login text not null unique check (login ~ '^[A-Za-z0-9_.:@-]{1,64}$'),
      display_name text not null,
      password_hash text not null,
      -- 1 member, 2 department manager, 3 company manager, 4 company administrator
      role int not null check (role between 1 and 4),
      -- Raised by a new password and by disabling: login tokens of an earlier generation are refused.
      credential_generation int not null default 1 check (credential_generation >= 1),
      disabled_at timestamptz,
      created_at timestamptz not null default now(),
      unique (company_id, id)
    );

    create table department_managers (
      department_id text not null,
      user_id text not null,
      company_id text not null references companies,
      primary key (user_id, department_id),
      foreign key (company_id, department_id) references departments (company_id, id),
      foreign key (company_id, user_id) references users (company_id, id)
    );

    create table chatroom_members (
      chatroom_id text not null,
      user_id text not null,
      company_id text not null references companies,
      room_manager boolean not null default false,
      primary key (chatroom_id, user_id),
      foreign key (company_id, chatroom_id) references chatrooms (company_id, id),
      foreign key (company_id, user_id) references users (company_id, id)
    );
    create index chatroom_members_by_user on chatroom_members (user_id);

    create table api_keys (
      id text primary key,
      company_id text not null references companies,
      owner_user_id text not null,
      name text not null,
      -- HMAC-SHA-256 of the key under a pepper kept outside the database
      key_hash bytea not null unique,
      scope text not null check (scope in ('full', 'sandbox')),
      -- What a sandbox key may reach; on a full key rooms would narrow nothing.
      allowed_chatroom_ids text[] not null default '{}',
      domains text[] not null default '{*}',
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz not null default now(),
      check ((scope = 'sandbox') = (cardinality(allowed_chatroom_ids) > 0)),
      check (cardinality(domains) > 0),
      foreign key (company_id, owner_user_id) references users (company_id, id)
    );
    create index api_keys_by_company on api_keys (company_id, id);
    create unique index api_keys_live_name on api_keys (company_id, name) where revoked_at is null;

    -- Every move of every state column, written in the transaction of the move.
    create table state_events (
      id bigint generated always as identity primary key,
      company_id text,
      entity text not null,
      entity_id text not null,
      from_state text not null,
      to_state text not null,
      at timestamptz not null default now()
    );
    create index state_events_by_entity on state_events (entity_id, id);
  `.execute(db)
}
