import type { Database } from '../../server/db/database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from './runs.ts'
import { makeTenant, type Tenant } from './tenant.ts'

/** A company with a task that it may run. */
export interface QueueingCompany extends Tenant {
  task: RunnableTask
}

export async function makeQueueingCompany(db: Database): Promise<QueueingCompany> {
  const tenant = await makeTenant(db)
  return { ...tenant, task: await makeRunnableTask(db, tenant.companyId) }
}

const firstQueuedMs = 1_700_000_000_000
let queued = 0

/** Queues a run a second after the one before, in the first room of the company unless `fields` say otherwise. */
export function queueRun(
  db: Database,
  company: QueueingCompany,
  fields: Partial<Parameters<typeof makeRun>[2]> = {},
): Promise<string> {
  queued += 1
  const queued_at = new Date(firstQueuedMs + queued * 1000)
  return makeRun(db, company.task, { chatroom_id: company.roomId, queued_at, ...fields })
}

/** Ends all runs that have not ended, and forgets when their rooms were served. */
export async function cancelLiveRuns(db: Database): Promise<void> {
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date(), claimed_at: null })
    .where('terminal_at', 'is', null)
    .execute()
}
