import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import type { SecretAddress } from './secret-binding-store.ts'

/* Writes the table `secret_envelopes`: rows are only added. */

/** Adds the first address of an envelope. False where it has one. */
export async function insertEnvelope(
  db: Executing,
  digest: Buffer,
  { companyId, consumerScope, consumerId, taskId, slotName }: SecretAddress,
): Promise<boolean> {
  const added = await db
    .insertInto('secret_envelopes')
    .values({
      digest,
      company_id: companyId,
      consumer_scope: consumerScope,
      consumer_id: consumerId,
      task_id: taskId,
      slot_name: slotName,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('digest')
    .executeTakeFirst()
  return added !== undefined
}

/** Whether this is the first address of an envelope. Undefined where it has none. */
export async function isFirstAddress(
  db: Executing,
  digest: Buffer,
  { companyId, consumerScope, consumerId, taskId, slotName }: SecretAddress,
): Promise<boolean | undefined> {
  const { rows } = await sql<{
    is_first: boolean
  }>`${acrossCompanies('an envelope of one company must not open for another')}
    select (company_id, consumer_scope, consumer_id, task_id, slot_name)
      = (${companyId}, ${consumerScope}, ${consumerId}, ${taskId}, ${slotName}) as is_first
    from secret_envelopes where digest = ${digest}`.execute(db)
  return rows[0]?.is_first
}
