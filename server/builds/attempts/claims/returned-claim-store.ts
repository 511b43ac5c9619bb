import { sql } from 'kysely'
import { acrossCompanies } from '../../../db/across-companies.ts'
import type { Database } from '../../../db/database.ts'

/** Releases the claims of `worker` in an orderly stop: the next claim finds them at once, and none counts as lost. */
export async function returnClaims(db: Database, worker: string): Promise<void> {
  await db
    .updateTable('build_attempts')
    .set({
      lease_until: sql<Date>`now() - interval '1 second'`,
      unreturned_claims: sql<number>`greatest(unreturned_claims - 1, 0)`,
    })
    .where('worker', '=', worker)
    .where('terminal_at', 'is', null)
    .modifyEnd(acrossCompanies('a worker releases its claims'))
    .where('lease_until', '>', sql<Date>`now()`)
    .execute()
}

/** Expires the leases that `worker` holds by name but does not know (not in `active`), so that the next claim finds them at once. */
export async function releaseLeases(db: Database, worker: string, active: readonly string[]): Promise<void> {
  await db
    .updateTable('build_attempts')
    .set({ lease_until: sql<Date>`now() - interval '1 second'` })
    .where('worker', '=', worker)
    .where('terminal_at', 'is', null)
    .where(sql<boolean>`id <> all(${active}::text[])`)
    .modifyEnd(acrossCompanies('a worker releases its claims'))
    .execute()
}
