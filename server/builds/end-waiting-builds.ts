import type { Trx } from '../db/database.ts'
import { lockWaitingAttempts } from './attempt-record-store.ts'
import { endLocked } from './attempt-store.ts'

/** Cancels the builds of an environment that nobody has begun, in the transaction that archives it. Others go on. */
export async function endWaitingBuilds(trx: Trx, environmentId: string): Promise<void> {
  for (const attempt of await lockWaitingAttempts(trx, environmentId)) {
    await endLocked(trx, attempt, { state: 'cancelled', errorCode: 'tenant_cancel' })
  }
}
