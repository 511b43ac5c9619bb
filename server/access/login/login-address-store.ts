import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/* Writes the table `login_addresses`. */

export interface LoginAddress {
  companyId: string
  userId: string
  addressKey: Buffer
}

/** Limit per user. The least recently used address is removed. */
const keptOfUser = 20
const keptDays = 90
/** The use of an address is recorded at most once per this time. */
const notedEveryHours = 24

export async function isKnownAddress(db: Executing, address: LoginAddress): Promise<boolean> {
  const { rows } = await sql`
    select from login_addresses where user_id = ${address.userId} and company_id = ${address.companyId}
      and address_key = ${address.addressKey} and seen_at > now() - ${keptDays} * interval '1 day'
  `.execute(db)
  return rows.length > 0
}

export async function rememberAddress(db: Executing, address: LoginAddress): Promise<void> {
  const { rows } = await sql`
    insert into login_addresses as t (user_id, company_id, address_key, seen_at)
    values (${address.userId}, ${address.companyId}, ${address.addressKey}, now())
    on conflict (user_id, address_key) do update set seen_at = now()
    where t.seen_at < now() - ${notedEveryHours} * interval '1 hour'
    returning 1
  `.execute(db)
  if (rows.length === 0) return
  await sql`
    delete from login_addresses where user_id = ${address.userId} and company_id = ${address.companyId}
      and address_key not in (
        select address_key from login_addresses
        where user_id = ${address.userId} and company_id = ${address.companyId}
        order by seen_at desc limit ${keptOfUser})
  `.execute(db)
}
