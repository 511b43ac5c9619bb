import { sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database } from '../db/database.ts'

/** Gives back what `worker` has let go of in an orderly stop: its next claim finds it at once, and nothing counts as lost. */
export async function returnClaims(db: Database, worker: string): Promise<void> {
  await db
    .updateTable('build_attempts')
    .set({
      lease_until: sql<Date>`now() - interval '1 second'`,
      unreturned_claims: sql<number>`greatest(unreturned_claims - 1, 0)`,
    })
    .where('worker', '=', worker)
    .where('terminal_at', 'is', null)
    .modifyEnd(acrossCompanies('a worker gives up what it has claimed'))
    .where('lease_until', '>', sql<Date>`now()`)
    .execute()
}

/** Gives up what `worker` held when it last died, so that its next claim finds it at once. */
export async function releaseLeases(db: Database, worker: string): Promise<void> {
  await db
    .updateTable('build_attempts')
    .set({ lease_until: sql<Date>`now() - interval '1 second'` })
    .where('worker', '=', worker)
    .where('terminal_at', 'is', null)
    .modifyEnd(acrossCompanies('a worker gives up what it has claimed'))
    .execute()
}
