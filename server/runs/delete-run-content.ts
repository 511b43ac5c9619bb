import type { RunContent } from '@sandbox-jobs/contract/resources/run-content.ts'
import { CodedError } from '../base/coded-error.ts'
import type { Principal } from '../platform/principal.ts'
import { type ReadDeps, type RunAddress, readRunContent, requireReadableRun } from './read-runs.ts'
import { markDeleted, retireContent } from './run-retention-store.ts'

/**
 * Deletes what a run left, and its input, before their time: readers lose sight of it at once, and the sweep removes the
 * objects within seconds. Repeating it changes nothing. Throws `not_found` to who does not manage the room, and
 * `illegal_transition` for a run that has not ended.
 */
export async function deleteRunContent(
  deps: Pick<ReadDeps, 'db' | 'directory' | 'runs'>,
  principal: Principal,
  address: RunAddress,
): Promise<RunContent> {
  await deps.directory.requireRoomManager(principal, address.chatroomId)
  const run = await requireReadableRun(deps, principal, address)
  if (run.terminal_at === null) throw new CodedError('illegal_transition')
  await deps.db.transaction().execute(async (trx) => {
    await retireContent(trx, [run])
    await markDeleted(trx, run)
  })
  return readRunContent(deps, principal, address)
}
