import type { Trx } from '../../db/database.ts'
import { refuseWaitingEvents } from './trigger-event-store.ts'
import { recordRefusal } from './trigger-store.ts'

const code = 'restored_from_backup'

/**
 * Refuses every row event that had no outcome when the backup was made, and returns their number. The run of such an event may
 * have been queued, and have run, since.
 */
export async function refuseRestoredEvents(trx: Trx): Promise<number> {
  const refused = await refuseWaitingEvents(trx, code)
  for (const [companyId, events] of Map.groupBy(refused, ({ company_id }) => company_id)) {
    const ids = [...new Set(events.map(({ trigger_id }) => trigger_id))]
    await recordRefusal(trx, { companyId, ids }, code)
  }
  return refused.length
}
