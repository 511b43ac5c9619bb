import { type Kysely, sql } from 'kysely'

/**
 * How often logins were tried, for all api processes together, and where users have logged in from. Keys are keyed
 * hashes: what people type as a name may be a password.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table login_attempts (
      bucket_key bytea primary key check (length(bucket_key) = 32),
      full_at timestamptz not null
    );
    create index login_attempts_full on login_attempts (full_at);

    create table login_addresses (
      user_id text not null references users on delete cascade,
      company_id text not null references companies on delete cascade,
      address_key bytea not null check (length(address_key) = 32),
      seen_at timestamptz not null,
      primary key (user_id, address_key)
    );
  `.execute(db)
}
