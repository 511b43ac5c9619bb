import { sql } from 'kysely'
import type { Executing } from './database.ts'

/**
 * The columns that the operator console reads: counts, ages and names of companies. Nothing that a tenant gave a run, and nothing that
 * a run gave back, is among them.
 */
const readable: Readonly<Record<string, readonly string[]>> = {
  kysely_migration: ['name'],
  companies: ['id', 'name'],
  runs: ['id', 'company_id', 'state', 'resource_profile', 'queued_at', 'claimed_at'],
  build_attempts: ['company_id', 'state', 'queued_at', 'terminal_at'],
  webhook_deliveries: ['outcome'],
  mail_deliveries: ['outcome'],
  audit_pending: ['id', 'at'],
  machine_lease: ['released', 'lease_until', 'agent_seen_at'],
  kept_bytes: ['company_id', 'bytes'],
  kept_byte_changes: ['company_id', 'bytes'],
  company_settings: ['company_id', 'kept_bytes_limit'],
  storage_bounds: ['company_bytes'],
}

/**
 * Grants the role of the operator console what its screens show and its sign-ins need. It spends codes and makes none: only the
 * command of the operator does. The caller is the owner of the schema, in a transaction.
 */
export async function grantOperatorRights(db: Executing, role: ReturnType<typeof sql.id>): Promise<void> {
  await sql`grant usage on schema public to ${role}`.execute(db)
  await sql`revoke all on all tables in schema public from ${role}`.execute(db)
  for (const [table, columns] of Object.entries(readable)) {
    const names = sql.join(columns.map((column) => sql.id(column)))
    await sql`grant select (${names}) on ${sql.table(table)} to ${role}`.execute(db)
  }
  await sql`grant select, delete on operator_codes to ${role}`.execute(db)
  await sql`grant select, insert, delete on operator_sign_ins to ${role}`.execute(db)
  await sql`grant update (last_used_at, expires_at) on operator_sign_ins to ${role}`.execute(db)
}
