import { sql } from 'kysely'
import type { Database, Executing } from './database.ts'

/** Roles of the database that API and worker log in as. */
export interface ServiceRoles {
  api: string
  worker: string
}

/** Read by both, to know the schema's version; written by migrations alone. */
const readOnly = ['kysely_migration', 'kysely_migration_lock']
/** The operator's own record. */
const closed = ['operator_acts']
/** What people and their programs log in with: the worker neither reads nor changes it. */
const closedToWorker = { users: 'password_hash', api_keys: 'key_hash' }

/**
 * Gives API and worker what they do: rows of the service's tables, and nothing of the schema, of other roles or of the
 * server. For the owner of the schema, after each migration: a table that is new is in it.
 */
export async function grantServiceRights(db: Database, roles: ServiceRoles): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const role of [roles.api, roles.worker]) await grantRows(trx, sql.id(role))
    const worker = sql.id(roles.worker)
    for (const [table, secret] of Object.entries(closedToWorker))
      await hideColumn(trx, worker, { table, secret })
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
