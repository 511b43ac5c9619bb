import { type Kysely, sql } from 'kysely'

/** Programs that act for a person over MCP, after that person has allowed it on a page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Tokens are signed, so no row opens anything. A person has at most 30.
    create table oauth_grants (
      id text primary key,
      company_id text not null references companies,
      user_id text not null,
      chatroom_id text not null,
      -- as the client calls itself
      client_name text not null check (length(client_name) between 1 and 1024),
      -- SHA-256 of the client id
      client_hash bytea not null check (octet_length(client_hash) = 32),
      -- of the user, when they allowed it
      credential_generation int not null,
      -- the number of the refresh token that may be used
      refresh_sequence int not null default 1 check (refresh_sequence >= 1),
      created_at timestamptz not null,
      refreshed_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz,
      foreign key (company_id, user_id) references users (company_id, id),
      foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
    );
    create index oauth_grants_by_user on oauth_grants (company_id, user_id, created_at);
    create index oauth_grants_expiry on oauth_grants (expires_at);
  `.execute(db)
}
