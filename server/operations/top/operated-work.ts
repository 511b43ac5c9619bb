import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import type { OperatedBuilds, OperatedRuns } from '@sandbox-jobs/contract/operator/operator-work.ts'
import type { Clock } from '../../base/clock.ts'
import { fenceSeconds } from '../../builds/attempts/build-fence.ts'
import type { Database } from '../../db/database.ts'
import { listCompanyWork, listLiveBuilds, listRunsThat } from './live-work-store.ts'

const listedMax = 100

/** Runs that have not ended, of one company or of all. */
export async function readOperatedRuns(db: Database, companyId: string | undefined): Promise<OperatedRuns> {
  const listed = { companyId, limit: listedMax + 1 }
  return {
    active: cut(await listRunsThat(db, 'areAtWork', listed)),
    waiting: cut(await listRunsThat(db, 'wait', listed)),
  }
}

/** Builds that have not ended, and whether new ones are refused. */
export async function readOperatedBuilds(
  { db, clock }: { db: Database; clock: Clock },
  companyId: string | undefined,
): Promise<OperatedBuilds> {
  const seconds = await fenceSeconds(db)
  return {
    refused_until: seconds > 0 ? new Date(clock.now().getTime() + seconds * 1000).toISOString() : null,
    builds: cut(await listLiveBuilds(db, { companyId, limit: listedMax + 1 })),
  }
}

/** The numbers of the work of one company. */
export async function readCompanyWork(db: Database, companyId: string): Promise<OperatedCompany['work']> {
  const [work = idle] = await listCompanyWork(db, 1, companyId)
  const { runs_active, runs_queued, oldest_queued_run, builds_active, builds_queued } = work
  return { runs_active, runs_queued, oldest_queued_run, builds_active, builds_queued }
}

const idle = { runs_active: 0, runs_queued: 0, oldest_queued_run: 0, builds_active: 0, builds_queued: 0 }

const cut = <T>(found: readonly T[]) => ({
  items: found.slice(0, listedMax),
  is_cut: found.length > listedMax,
})
