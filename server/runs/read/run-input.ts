import type { LastRun } from '@sandbox-jobs/contract/resources/runs/room-overview.ts'
import { ownRunsOf } from '../../access/own-runs.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { type FindRunDeps, type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import { findLastRunId } from '../model/run-store.ts'
import { findInput } from '../results/run-content-store.ts'
import { readExtendedRun } from './extended-runs.ts'

/** The stored JSON text of a run's input. Throws `not_found`, also where it was deleted. */
export async function readRunInput(
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<Buffer> {
  const run = await requireReadableRun(deps, principal, 'run.read_result', address)
  const input = await findInput(deps.db, run)
  if (!input) throw notFound()
  return input
}

/** The newest run of a task that the caller made in the room. Throws `not_found` for the room. */
export async function readLastRun(
  deps: FindRunDeps,
  principal: Principal,
  { chatroomId, taskId }: { chatroomId: string; taskId: string },
): Promise<LastRun> {
  const { id, company_id: companyId } = await deps.directory.requireRoom(principal, 'run.read', chatroomId)
  const { principalType, principalId } = principal
  const runId = await findLastRunId(deps.db, {
    ...{ companyId, chatroomId: id, taskId },
    submitter: { type: principalType, id: principalId },
    apiKeyId: ownRunsOf(principal, 'run.read'),
  })
  return { run: runId === undefined ? null : await readExtendedRun(deps, principal, { chatroomId, runId }) }
}
