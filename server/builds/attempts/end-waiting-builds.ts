import type { Trx } from '../../db/database.ts'
import { lockWaitingAttempts } from './attempt-record-store.ts'
import { endLocked } from './claims/attempt-end-store.ts'

/** Cancels the builds of an environment that no worker has started, in the transaction that archives it. Running builds go on. */
export async function endWaitingBuilds(
  trx: Trx,
  environment: { id: string; company_id: string | null },
): Promise<void> {
  for (const attempt of await lockWaitingAttempts(trx, environment)) {
    await endLocked(trx, attempt, { state: 'cancelled', errorCode: 'tenant_cancel' })
  }
}
