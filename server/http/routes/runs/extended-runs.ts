import { extendedRunRoutes } from '@sandbox-jobs/contract/routes/extended-run-routes.ts'
import { listExtendedRuns, readExtendedRun } from '../../../runs/read/extended-runs.ts'
import type { ReadDeps } from '../../../runs/read/read-runs.ts'
import { type ExtendedSubmitDeps, submitExtendedRun } from '../../../runs/submit/submit-extended-run.ts'
import type { Mount } from '../../mount.ts'

/** Runs with their files and metadata (contract part 3, D6). */
export function mountExtendedRunRoutes(mount: Mount, services: ReadDeps & ExtendedSubmitDeps): void {
  mount(extendedRunRoutes.submitExtendedRun, ({ principal, params, body, idempotencyKey }) =>
    submitExtendedRun(services, { principal, chatroomId: params.cid, idempotencyKey, body }),
  )
  mount(extendedRunRoutes.listExtendedRuns, ({ principal, params, query }) =>
    listExtendedRuns(services, principal, { chatroomId: params.cid, query }),
  )
  mount(extendedRunRoutes.readExtendedRun, ({ principal, params }) =>
    readExtendedRun(services, principal, { chatroomId: params.cid, runId: params.rid }),
  )
}
