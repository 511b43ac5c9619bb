import { findCompanyId } from '../../companies/companies.ts'
import type { Database } from '../../db/database.ts'
import { requestEmptyQueue, requestRunEnd } from '../../runs/queue/request-run-ends.ts'
import type { Act } from './act.ts'

interface Services {
  db: Database
}

/** Ends a run, whose processes get no time to end. Returns its company; undefined: no run of that id has yet to end. */
export const endRun = (id: string): Act<Services, string | undefined> => ({
  entry: { act: 'run_end', subject: id },
  work: ({ db }, account) => requestRunEnd(db, id, account),
})

/** Ends the runs of a company, by id or name, that wait. Returns their number; undefined: no such company. */
export const emptyQueue = (company: string): Act<Services, number | undefined> => ({
  entry: { act: 'queue_empty', subject: company },
  work: async ({ db }, account) => {
    const id = await findCompanyId(db, company)
    return id === undefined ? undefined : requestEmptyQueue(db, id, account)
  },
})
