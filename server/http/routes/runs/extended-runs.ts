import { extendedRunRoutes } from '@sandbox-jobs/contract/routes/extended-run-routes.ts'
import { listExtendedRuns, readExtendedRun } from '../../../runs/read/extended-runs.ts'
import type { ReadDeps } from '../../../runs/read/read-runs.ts'
import { askParts } from '../../../runs/submit/asked-parts.ts'
import { type QuickRunDeps, quickRun } from '../../../runs/submit/quick-run.ts'
import { type ExtendedSubmitDeps, submitExtendedRun } from '../../../runs/submit/submit-extended-run.ts'
import type { Mount } from '../../mount.ts'
import { requireFullKey } from '../../scopes.ts'

/** Runs with their files, metadata and session (contract part 3, D6). */
export function mountExtendedRunRoutes(
  mount: Mount,
  services: ReadDeps & ExtendedSubmitDeps & QuickRunDeps,
): void {
  mount(extendedRunRoutes.submitExtendedRun, async ({ principal, params, body, idempotencyKey }) => {
    if (body.session) requireFullKey(principal)
    return submitExtendedRun(services, { principal, chatroomId: params.cid, idempotencyKey, body })
  })
  mount(extendedRunRoutes.quickRunInSession, ({ principal, params, body, idempotencyKey }) => {
    const { session, ...quick } = body
    const caller = { principal, chatroomId: params.cid }
    const asked = askParts(services, caller, { ...(session && { session }) })
    return quickRun(services, { ...caller, idempotencyKey, body: quick, asked })
  })
  mount(extendedRunRoutes.listExtendedRuns, ({ principal, params, query }) =>
    listExtendedRuns(services, principal, { chatroomId: params.cid, query }),
  )
  mount(extendedRunRoutes.readExtendedRun, ({ principal, params }) =>
    readExtendedRun(services, principal, { chatroomId: params.cid, runId: params.rid }),
  )
}
