-- Keys and logins: what people and programs log in with. Of a key only a keyed hash is here.

-- API keys, each acting for its owner. A live key has a name of its own in the company.
create table api_keys (
  id text primary key,
  company_id text not null references companies,
  owner_user_id text not null,
  name text not null,
  -- HMAC-SHA-256 of the key under a pepper kept outside the database
  key_hash bytea not null unique,
  scope text not null check (scope in ('full', 'sandbox')),
  -- Rooms and domains that a sandbox key may reach; on a full key rooms would narrow nothing.
  allowed_chatroom_ids text[] not null default '{}',
  domains text[] not null default '{*}',
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  -- Number of the pepper: there are two while keys move from one to the next.
  pepper integer not null default 0 check (pepper between 0 and 999999),
  check ((scope = 'sandbox') = (cardinality(allowed_chatroom_ids) > 0)),
  check (cardinality(domains) > 0),
  foreign key (company_id, owner_user_id) references users (company_id, id)
);
create index api_keys_by_company on api_keys (company_id, id);
create unique index api_keys_live_name on api_keys (company_id, name) where revoked_at is null;

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

-- Programs that act for a person over MCP, after that person has allowed it on a page. Tokens are signed, so no row opens
-- anything. A person has at most 30.
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

-- Browsers in which people are signed in to the console. A person has at most 20.
create table sign_ins (
  id text primary key,
  company_id text not null references companies,
  user_id text not null,
  -- SHA-256 of the random token in the cookie
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- of the user, when they signed in: another one ends it
  credential_generation int not null,
  client text not null check (length(client) <= 80),
  address text not null check (length(address) <= 64),
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  -- moves with each use, up to a limit
  expires_at timestamptz not null,
  -- SHA-256 of the state with which the identity provider sent the browser back, which is good once; null: with a password
  provider_state_hash bytea unique check (octet_length(provider_state_hash) = 32),
  foreign key (company_id, user_id) references users (company_id, id)
);
create index sign_ins_by_user on sign_ins (company_id, user_id, last_used_at);
create index sign_ins_expiry on sign_ins (expires_at);

-- Attempts to log in, for all API processes together. The key of a bucket is a keyed hash: what people type as a
-- name may be a password. A bucket without a row is full.
create table login_attempts (
  bucket_key bytea primary key check (length(bucket_key) = 32),
  -- when all attempts of the bucket are there again
  full_at timestamptz not null
);
create index login_attempts_full on login_attempts (full_at);

-- Addresses that users have logged in from, as keyed hashes.
create table login_addresses (
  user_id text not null references users on delete cascade,
  company_id text not null references companies on delete cascade,
  address_key bytea not null check (length(address_key) = 32),
  seen_at timestamptz not null,
  primary key (user_id, address_key)
);
