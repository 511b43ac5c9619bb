import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import type { Directory } from '../../access/directory/directory.ts'
import { ownRunsOf } from '../../access/own-runs.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { settleAll } from '../../base/settle-all.ts'
import type { Database } from '../../db/database.ts'
import type { ShownRun } from '../model/run-row.ts'
import type { RunLookup } from './run-lookup.ts'

/** The dependencies of finding a run and its rows. */
export interface FindRunDeps {
  db: Database
  directory: Directory
  runs: RunLookup
}

export interface RunAddress {
  chatroomId: string
  runId: string
}

/** The run, for whoever may do this with runs of its room; throws `not_found`. */
export async function requireReadableRun(
  deps: FindRunDeps,
  principal: Principal,
  action: ActionOn<'room'>,
  address: RunAddress,
): Promise<ShownRun> {
  const { companyId } = principal
  const { chatroomId, runId: id } = address
  const [, run] = await settleAll([
    deps.directory.requireRoom(principal, action, chatroomId),
    deps.runs.find({ companyId, chatroomId, id, apiKeyId: ownRunsOf(principal, action) }),
  ])
  if (!run) throw notFound()
  return run
}

/** The same of a run that the principal submitted: whatever else they may read, an agent acts on its person's runs alone. */
export async function requireOwnRun(
  deps: FindRunDeps,
  principal: Principal,
  action: ActionOn<'room'>,
  address: RunAddress,
): Promise<ShownRun> {
  const run = await requireReadableRun(deps, principal, action, address)
  const { principalType, principalId } = principal
  if (run.principal_type !== principalType || run.principal_id !== principalId) throw notFound()
  return run
}
