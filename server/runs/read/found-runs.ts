import { type FoundRunList, foundRunsLimitMax } from '@sandbox-jobs/contract/resources/runs/found-run.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import type { RunServices } from '../run-services.ts'
import { type FoundRunRow, listFoundRuns, readNow } from './found-run-store.ts'
import { countVisibleRuns } from './visible-run-store.ts'
import { type RunFilterQuery, visibleRunFilter } from './visible-runs.ts'

const retryAfterSeconds = 1
/** Of one process. Each reads as many runs as are before its part of the list. */
const slots = new SharedSlots({ all: 8, each: 4, assuredEach: 1 })

interface FoundRunQuery extends RunFilterQuery {
  offset?: number | undefined
  limit?: number | undefined
}

/** Any part of the runs that the caller may read and that match, newest first. Throws `usage_busy`. */
export async function findRunsAt(
  deps: Pick<RunServices, 'db' | 'directory'>,
  principal: Principal,
  { offset = 0, limit = foundRunsLimitMax, ...query }: FoundRunQuery,
): Promise<FoundRunList> {
  const asked = await visibleRunFilter(deps.directory, principal, query)
  const queuedBefore = asked.queuedBefore ?? (await readNow(deps.db))
  const filter = { ...asked, queuedBefore }
  const [rows, total] = await slots.within(
    principal.companyId,
    () => new CodedError('usage_busy', { retry_after_seconds: retryAfterSeconds }),
    () => Promise.all([listFoundRuns(deps.db, filter, { offset, limit }), countVisibleRuns(deps.db, filter)]),
  )
  return { items: rows.map(shown), total, as_of: queuedBefore.toISOString() }
}

const shown = ({ state, queued_at, started_at, terminal_at, ...row }: FoundRunRow) => ({
  ...row,
  status: state,
  queued_at: iso(queued_at),
  started_at: iso(started_at),
  terminal_at: iso(terminal_at),
})

const iso = (time: Date | null): string | null => time?.toISOString() ?? null
