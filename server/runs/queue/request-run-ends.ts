import type { Database } from '../../db/database.ts'
import { countQueuedRuns, findCompanyOfLiveRun, insertRunEndRequest } from './run-end-request-store.ts'

/* Requests of operators to end runs, which a worker fulfils within seconds (`end-requested-runs.ts`). */

/** Returns the company of the run; undefined: no run of that id has yet to end. */
export async function requestRunEnd(db: Database, id: string, account: string): Promise<string | undefined> {
  const company = await findCompanyOfLiveRun(db, id)
  if (company !== undefined) await insertRunEndRequest(db, { company_id: company, run_id: id, account })
  return company
}

/** Ends the runs of a company that wait now. Returns their number. */
export async function requestEmptyQueue(db: Database, companyId: string, account: string): Promise<number> {
  const waiting = await countQueuedRuns(db, companyId)
  await insertRunEndRequest(db, { company_id: companyId, run_id: null, account })
  return waiting
}
