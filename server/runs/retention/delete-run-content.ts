import type { RunContent } from '@sandbox-jobs/contract/resources/runs/run-content.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import { type ReadDeps, readRunContent } from '../read/read-runs.ts'
import { markDeleted, retireContent } from './run-retention-store.ts'

/**
 * Deletes the input and results of a run before their time. They are hidden at once, and the sweep removes the objects within
 * seconds. Idempotent. Throws `not_found` for callers that do not manage the room, and `illegal_transition` for a run that
 * has not ended.
 */
export async function deleteRunContent(
  deps: Pick<ReadDeps, 'db' | 'directory' | 'runs'>,
  principal: Principal,
  address: RunAddress,
): Promise<RunContent> {
  const run = await requireReadableRun(deps, principal, 'run.delete_content', address)
  if (run.terminal_at === null) throw new CodedError('illegal_transition')
  await deps.db.transaction().execute(async (trx) => {
    await retireContent(trx, [run])
    await markDeleted(trx, run)
  })
  return readRunContent(deps, principal, address)
}
