import { sql } from 'kysely'
import type { Database, Executing } from './database.ts'
import { grantOperatorRights } from './operator-rights-store.ts'

/** Database roles of the API, the worker and the operator console. */
export interface ServiceRoles {
  api: string
  worker: string
  operator?: string | undefined
}

/** Both roles read these to check the schema version; only migrations write them. */
const readOnly = ['kysely_migration', 'kysely_migration_lock']
/** The audit logs, of which `openAuditLog` gives back what each role needs, and the credentials of operators. */
const closed = [
  'operator_acts',
  'audit_pending',
  'audit_entries',
  'audit_chains',
  'audit_heads',
  'audit_salt',
  'operator_codes',
  'operator_sign_ins',
]
/** Credentials of people and programs: the worker can neither read nor change them. */
const closedToWorker = {
  users: 'password_hash',
  api_keys: 'key_hash',
  gateway_keys: 'key_hash',
  sign_ins: 'token_hash',
  doors: 'key_hash',
}

/**
 * Grants the processes access to rows of the service's tables, and nothing on the schema, other roles or the server. The owner of
 * the schema calls it after each migration, so that it covers new tables. Safe to call from several processes at once.
 */
export async function grantServiceRights(db: Database, roles: ServiceRoles): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Concurrent grants on one table do not wait for each other in Postgres: the second one fails.
    await sql`select pg_advisory_xact_lock(hashtextextended('sandbox-jobs service rights', 0))`.execute(trx)
    for (const role of [roles.api, roles.worker]) await grantRows(trx, sql.id(role))
    const worker = sql.id(roles.worker)
    for (const [table, secret] of Object.entries(closedToWorker))
      await hideColumn(trx, worker, { table, secret })
    await sql`grant delete on sign_ins to ${worker}`.execute(trx)
    await divideSecretValues(trx, { api: sql.id(roles.api), worker })
    await openAuditLog(trx, { api: sql.id(roles.api), worker })
    if (roles.operator !== undefined) await grantOperatorRights(trx, sql.id(roles.operator))
  })
}

async function grantRows(db: Executing, role: ReturnType<typeof sql.id>): Promise<void> {
  await sql`grant usage on schema public to ${role}`.execute(db)
  await sql`grant select, insert, update, delete on all tables in schema public to ${role}`.execute(db)
  await sql`grant usage, select on all sequences in schema public to ${role}`.execute(db)
  for (const table of readOnly) {
    await sql`revoke insert, update, delete on ${sql.table(table)} from ${role}`.execute(db)
  }
  for (const table of closed) await sql`revoke all on ${sql.table(table)} from ${role}`.execute(db)
}

/** The API stores values and removes them, and cannot read what is stored; the worker reads them, and changes none. So it is with secrets of webhooks. */
async function divideSecretValues(
  db: Executing,
  { api, worker }: Record<'api' | 'worker', ReturnType<typeof sql.id>>,
): Promise<void> {
  await sql`revoke all on secret_values from ${api}, ${worker}`.execute(db)
  await sql`grant select (binding_id, company_id, generation), insert, delete on secret_values to ${api}`.execute(
    db,
  )
  await sql`grant select on secret_values to ${worker}`.execute(db)
  await sql`revoke all on webhook_secrets from ${api}, ${worker}`.execute(db)
  await sql`grant select (id, company_id, webhook_id, expires_at), insert, update (expires_at), delete on webhook_secrets to ${api}`.execute(
    db,
  )
  await sql`grant select, delete on webhook_secrets to ${worker}`.execute(db)
}

async function hideColumn(
  db: Executing,
  role: ReturnType<typeof sql.id>,
  { table, secret }: { table: string; secret: string },
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attname <> ${secret}`.execute(
    db,
  )
  const columns = sql.join(rows.map(({ name }) => sql.id(name)))
  await sql`revoke all on ${sql.table(table)} from ${role}`.execute(db)
  await sql`grant select (${columns}) on ${sql.table(table)} to ${role}`.execute(db)
}

/** Both add what happened and read the chains; the worker has it chained and signs. Nobody changes or removes an entry. */
async function openAuditLog(
  db: Executing,
  { api, worker }: Record<'api' | 'worker', ReturnType<typeof sql.id>>,
): Promise<void> {
  await sql`grant insert on audit_pending to ${api}, ${worker}`.execute(db)
  // When changes were made that are not entries yet, and not what they are.
  await sql`grant select (id, at) on audit_pending to ${worker}`.execute(db)
  await sql`grant select on audit_entries, audit_chains, audit_heads to ${api}, ${worker}`.execute(db)
  await sql`grant insert, update on audit_heads to ${worker}`.execute(db)
  await sql`grant execute on function chain_audit_entries(int), trim_audit_entries(text, timestamptz, bigint, int)
    to ${worker}`.execute(db)
}
