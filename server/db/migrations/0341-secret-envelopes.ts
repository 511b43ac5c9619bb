import { type Kysely, sql } from 'kysely'
import { countKept } from './count-kept.ts'

/**
 * Where each wrapped key of an encrypted value was sent first. Whoever reads a request can send its envelope again, so it counts there
 * alone. A row stays as long as the key pair of the service, whatever becomes of the secret.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table secret_envelopes (
      -- of the wrapped key; no two values have the same
      digest bytea primary key check (length(digest) = 32),
      company_id text not null references companies,
      consumer_scope text not null,
      consumer_id text not null,
      task_id text not null,
      slot_name text not null,
      created_at timestamptz not null default now()
    )
  `.execute(db)
  await countKept(db, { table: 'secret_envelopes', kind: 'secrets', bytes: '512' })
}
