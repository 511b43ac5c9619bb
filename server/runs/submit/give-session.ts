import type { Trx } from '../../db/database.ts'
import { type HeldSession, takeHeldSession } from '../../sessions/runs/hold-session.ts'
import { setSession } from '../model/run-store.ts'

/** Gives a locked session to a run that was queued in the same transaction, or has the run wait for it. */
export async function giveSession(
  trx: Trx,
  run: { id: string; company_id: string },
  session: HeldSession,
): Promise<void> {
  await takeHeldSession(trx, run, session)
  await setSession(trx, run, session)
}
