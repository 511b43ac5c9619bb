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
 * Ends exceptions whose time is over, and closes the findings of archived environments with their exceptions. One
 * bounded round, safe to run in several processes.
 */
export async function sweepFindings(deps: {
  db: Database
  clock: Clock
}): Promise<{ exceptionsExpired: number; findingsClosed: number }> {
  const { db, clock } = deps
  const counts = { exceptionsExpired: 0, findingsClosed: 0 }
  for (const { id, environment_id: environmentId } of await listOverdueExceptions(db, clock.now(), batch)) {
    await db.transaction().execute(async (trx) => {
      const exception = await lockException(trx, { environmentId, exceptionId: id })
      if (!exception) return
      if ((await endException(trx, id, 'expired')) === undefined) return
      await moveFinding(trx, exception.finding_id, 'discovered', { from: ['excepted'] })
      counts.exceptionsExpired += 1
    })
  }
  for (const id of await listOrphaned(db, batch)) {
    await db.transaction().execute(async (trx) => {
      for (const exception of await listActiveExceptions(trx, [id])) {
        await endException(trx, exception.id, 'expired')
      }
      if ((await moveFinding(trx, id, 'closed')) !== undefined) counts.findingsClosed += 1
    })
  }
  return counts
}
