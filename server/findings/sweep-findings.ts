import type { Clock } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import {
  endException,
  listActiveExceptions,
  listOverdueExceptions,
  lockException,
} from './exception-store.ts'
import { listOrphaned, moveFinding } from './finding-store.ts'

const batch = 200

/**
 * Ends expired exceptions, and closes the findings of archived environments with their exceptions. One bounded
 * iteration, safe in several processes.
 */
export async function sweepFindings(deps: {
  db: Database
  clock: Clock
}): Promise<{ exceptionsExpired: number; findingsClosed: number }> {
  const { db, clock } = deps
  const counts = { exceptionsExpired: 0, findingsClosed: 0 }
  for (const overdue of await listOverdueExceptions(db, clock.now(), batch)) {
    await db.transaction().execute(async (trx) => {
      const exception = await lockException(trx, {
        companyId: overdue.company_id,
        environmentId: overdue.environment_id,
        exceptionId: overdue.id,
      })
      if (!exception) return
      if ((await endException(trx, exception, 'expired')) === undefined) return
      await moveFinding(trx, { id: exception.finding_id, company_id: exception.company_id }, 'discovered', {
        from: ['excepted'],
      })
      counts.exceptionsExpired += 1
    })
  }
  for (const finding of await listOrphaned(db, batch)) {
    await db.transaction().execute(async (trx) => {
      for (const exception of await listActiveExceptions(trx, finding.company_id, [finding.id])) {
        await endException(trx, exception, 'expired')
      }
      if ((await moveFinding(trx, finding, 'closed')) !== undefined) counts.findingsClosed += 1
    })
  }
  return counts
}
