import type { Trx } from '../db/database.ts'
import { lockWaitingAttempts } from './attempt-record-store.ts'
import { endLocked } from './attempt-store.ts'

/** Cancels the builds of an environment that nobody has begun, in the transaction that archives it. Others go on. */
export async function endWaitingBuilds(
  trx: Trx,
  environment: { id: string; company_id: string | null },
): Promise<void> {
  for (const attempt of await lockWaitingAttempts(trx, environment)) {
    await endLocked(trx, attempt, { state: 'cancelled', errorCode: 'tenant_cancel' })
  }
}
