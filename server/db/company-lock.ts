import { sql } from 'kysely'
import type { Trx } from './database.ts'

/**
 * Serialises, until the transaction ends, what must count before it writes: two requests of one company on the
 * same `subject` never count the same free place. Other companies and subjects are not held up.
 */
export async function lockCompany(trx: Trx, companyId: string, subject: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${subject}:${companyId}`}, 0))`.execute(trx)
}
