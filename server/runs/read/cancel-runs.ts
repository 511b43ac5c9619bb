import type { CancelledRuns } from '@sandbox-jobs/contract/resources/runs/found-run.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import { cancelRun } from '../queue/cancel-run.ts'
import type { RunServices } from '../run-services.ts'
import { listCancellableRuns } from './cancellable-run-store.ts'
import { type RunFilterQuery, visibleRunFilter } from './visible-runs.ts'

/** Of one request: a second of work. */
const runsMax = 200
/** Of one process. A company cancels in one request at a time, so that no two kill what the other asked to end. */
const slots = new SharedSlots({ all: 4, each: 1, assuredEach: 1 })
/** So many more than the caller expects, relative to it, are not another selection. */
const growth = 1.1

interface CancelRequest {
  filter: RunFilterQuery & { ids?: string[] | undefined }
  expected: number
  dry_run?: boolean | undefined
}

/**
 * Cancels runs that match and have not ended, at most `runsMax`; the caller repeats it until none is left. Each is a transaction of its
 * own: after a crash those that were not reached go on, and match the same request again. Throws `selection_changed`
 * before it changes anything, and `usage_busy`.
 */
export const cancelRuns = (
  deps: Pick<RunServices, 'db' | 'directory'>,
  principal: Principal,
  { filter: { ids: wanted, ...filter }, expected, dry_run: isTrial = false }: CancelRequest,
): Promise<CancelledRuns> =>
  slots.within(
    principal.companyId,
    () => new CodedError('usage_busy'),
    async () => {
      const visible = await visibleRunFilter(deps.directory, principal, filter)
      const { ids, total } = await listCancellableRuns(deps.db, visible, { ids: wanted, limit: runsMax })
      if (isTrial) return { cancelled: 0, left: total }
      if (total > expected * growth) throw new CodedError('selection_changed')
      for (const id of ids) await cancelRun(deps.db, { id, company_id: principal.companyId })
      return { cancelled: ids.length, left: total - ids.length }
    },
  )
