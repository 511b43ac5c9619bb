import type { Clock } from '../base/clock.ts'
import type { RemediationDays } from '../base/config/finding-settings.ts'
import type { Database } from '../db/database.ts'
import { inBatches } from '../work/sweep.ts'
import { recordReminders } from './remind-store.ts'

const batch = 1000

/** Reminds managers of findings whose deadline the operator has set. One bounded iteration, safe in several processes. */
export async function remindOfDeadlines({
  db,
  clock,
  days,
}: {
  db: Database
  clock: Clock
  days: RemediationDays
}): Promise<{ reminded: number }> {
  if (Object.keys(days).length === 0) return { reminded: 0 }
  const now = clock.now()
  const reminded = await inBatches(batch, (limit) =>
    db.transaction().execute((trx) => recordReminders(trx, { days, now, limit })),
  )
  return { reminded }
}
