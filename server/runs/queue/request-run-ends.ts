import { CodedError } from '../../base/errors/coded-error.ts'
import type { Database } from '../../db/database.ts'
import { countQueuedRuns, findCompanyOfLiveRun, putRunEndRequest } from './run-end-request-store.ts'

/* Requests of operators to end runs, which a worker fulfils within seconds (`end-requested-runs.ts`). Both throw `run_ends_full`. */

/** Requests that a worker looks at in one round. */
const requestsMax = 1000

/** Returns the company of the run; undefined: no run of that id has yet to end. */
export async function requestRunEnd(db: Database, id: string, account: string): Promise<string | undefined> {
  const company = await findCompanyOfLiveRun(db, id)
  if (company !== undefined) await put(db, { company_id: company, run_id: id, account })
  return company
}

/** Ends the runs of a company that wait now. Returns their number. */
export async function requestEmptyQueue(db: Database, companyId: string, account: string): Promise<number> {
  const waiting = await countQueuedRuns(db, companyId)
  await put(db, { company_id: companyId, run_id: null, account })
  return waiting
}

async function put(
  db: Database,
  request: { company_id: string; run_id: string | null; account: string },
): Promise<void> {
  if (!(await putRunEndRequest(db, request, requestsMax))) throw new CodedError('run_ends_full')
}
