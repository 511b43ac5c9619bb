import { sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database } from '../db/database.ts'

/* Reads and changes `secret_values` and `webhook_secrets` of all companies, for the operator who rotates keys. */

export interface WrappedRow {
  binding_id: string
  company_id: string
  consumer_scope: string
  consumer_id: string
  task_id: string
  slot_name: string
  generation: number
  key_id: string
  wrapped_key: Buffer
}

/** Values whose data key is not wrapped under `keyId`, after an id; in the order of ids. */
export async function findWrappedElsewhere(
  db: Database,
  keyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<WrappedRow[]> {
  const { rows } = await sql<WrappedRow>`${acrossCompanies('the operator rotates the keys of all companies')}
    (select v.binding_id, v.company_id, b.consumer_scope, b.consumer_id, b.task_id, b.slot_name, v.generation,
      v.key_id, v.wrapped_key
    from secret_values v
    join secret_bindings b on b.id = v.binding_id and b.company_id = v.company_id
    where v.key_id <> ${keyId} and v.binding_id > ${after}
    order by v.binding_id limit ${limit})
    union all
    (select id, company_id, 'webhook', id, '', 'signing', 1, key_id, wrapped_key from webhook_secrets
    where key_id <> ${keyId} and id > ${after} order by id limit ${limit})
    order by 1 limit ${limit}
  `.execute(db)
  return rows
}

export async function countWrappedElsewhere(db: Database, keyId: string): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`${acrossCompanies('the operator rotates the keys of all companies')}
    select (select count(*) from secret_values where key_id <> ${keyId})
      + (select count(*) from webhook_secrets where key_id <> ${keyId}) as count
  `.execute(db)
  return rows[0]?.count ?? 0
}

export async function countWrappedUnder(db: Database, keyId: string): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`${acrossCompanies('the operator retires keys of all companies')}
    select (select count(*) from secret_values where key_id = ${keyId})
      + (select count(*) from webhook_secrets where key_id = ${keyId}) as count
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** False when the value was replaced or removed meanwhile. */
export async function replaceWrappedKey(
  db: Database,
  row: WrappedRow,
  { keyId, wrappedKey }: { keyId: string; wrappedKey: Buffer },
): Promise<boolean> {
  if (row.consumer_scope === 'webhook') return replaceOfWebhook(db, row, { keyId, wrappedKey })
  const { numAffectedRows } = await sql`
    update secret_values set key_id = ${keyId}, wrapped_key = ${wrappedKey}
    where binding_id = ${row.binding_id} and company_id = ${row.company_id} and generation = ${row.generation}
      and key_id = ${row.key_id} and wrapped_key = ${row.wrapped_key}
  `.execute(db)
  return numAffectedRows === 1n
}

async function replaceOfWebhook(
  db: Database,
  row: WrappedRow,
  { keyId, wrappedKey }: { keyId: string; wrappedKey: Buffer },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_secrets set key_id = ${keyId}, wrapped_key = ${wrappedKey}
    where id = ${row.binding_id} and company_id = ${row.company_id} and key_id = ${row.key_id}
      and wrapped_key = ${row.wrapped_key}
  `.execute(db)
  return numAffectedRows === 1n
}
