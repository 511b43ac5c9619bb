import { operatorColumns } from '@sandbox-jobs/contract/operator/company-limits.ts'
import { sql } from 'kysely'
import type { Executing } from './database.ts'

/**
 * The columns that the operator console reads: counts, ages, limits and names of companies. Nothing that a tenant gave a run, and nothing that
 * a run gave back, is among them.
 */
const readable: Readonly<Record<string, readonly string[]>> = {
  kysely_migration: ['name'],
  companies: ['id', 'name'],
  runs: ['id', 'company_id', 'state', 'resource_profile', 'queued_at', 'claimed_at'],
  build_attempts: [
    ...['id', 'company_id', 'state', 'stage_code', 'build_profile'],
    ...['queued_at', 'started_at', 'terminal_at'],
  ],
  webhook_deliveries: ['outcome'],
  mail_deliveries: ['outcome'],
  audit_pending: ['id', 'at'],
  executors: ['released', 'lease_until', 'agent_seen_at', 'capacity'],
  kept_bytes: ['company_id', 'bytes'],
  kept_byte_changes: ['company_id', 'bytes'],
  company_settings: ['company_id', ...operatorColumns],
  storage_bounds: ['company_bytes'],
  gateway_keys: ['id', 'company_id', 'name', 'created_at', 'revoked_at', 'last_used_at'],
  usage_days: ['company_id', 'day', 'ingress_bytes', 'egress_bytes'],
  usage_changes: ['company_id', 'day', 'ingress_bytes', 'egress_bytes'],
  run_refusals: ['company_id'],
  charges: ['company_id', 'held_micro', 'settled_at', 'month'],
  budget_spend: ['company_id', 'month', 'micro'],
  budget_changes: ['company_id', 'month', 'micro'],
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
  // Of no company.
  await sql`grant select on price_lists, prices, blocked_digests to ${role}`.execute(db)
  await grantActs(db, role)
  await sql`grant select, delete on operator_codes to ${role}`.execute(db)
  await sql`grant select, insert, delete on operator_sign_ins to ${role}`.execute(db)
  await sql`grant update (last_used_at, expires_at) on operator_sign_ins to ${role}`.execute(db)
}

/** Acts of the console write their entries, which nobody changes, the fence of builds, the kill switch, budgets, the end of keys, requests to end runs and the columns of limits. */
async function grantActs(db: Executing, role: ReturnType<typeof sql.id>): Promise<void> {
  await sql`grant select, insert on operator_acts to ${role}`.execute(db)
  await sql`grant update (revoked_at) on gateway_keys to ${role}`.execute(db)
  // The worker ends the runs: this role changes none.
  await sql`grant insert, select (company_id, run_id), update (requested_at, account) on run_end_requests to ${role}`.execute(
    db,
  )
  for (const table of ['build_fence', 'kill_switch', 'company_budgets'])
    await sql`grant select, insert, update, delete on ${sql.table(table)} to ${role}`.execute(db)
  const names = sql.join(operatorColumns.map((column) => sql.id(column)))
  await sql`grant update (${names}) on company_settings to ${role}`.execute(db)
  // The row of a company that has set nothing.
  await sql`grant insert (company_id, run_content_retention_days, unreferenced_image_retention_days, allowed_regions,
    timeout_ceiling_seconds, active_environment_limit, capacity_retained_version_limit)
    on company_settings to ${role}`.execute(db)
}
