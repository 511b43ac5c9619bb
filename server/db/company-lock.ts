import { sql } from 'kysely'
import type { Trx } from './database.ts'

/**
 * Serializes transactions that count before they write: two requests of one company on the same `subject` never count
 * the same free slot. Held until the transaction ends. Other companies and subjects do not wait.
 */
export async function lockCompany(trx: Trx, companyId: string, subject: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${subject}:${companyId}`}, 0))`.execute(trx)
}
