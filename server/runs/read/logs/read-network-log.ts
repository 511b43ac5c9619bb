import {
  type NetworkLog,
  type RefusedConnection,
  refusalExplanations,
} from '@sandbox-jobs/contract/resources/runs/network-log.ts'
import type { Refusal } from '../../../../agent/port/network-refusals.ts'
import type { Principal } from '../../../access/principal.ts'
import { type RunAddress, requireReadableRun } from '../../lookup/readable-run.ts'
import type { ShownRun } from '../../model/run-row.ts'
import { findRefusals } from '../../results/run-refusal-store.ts'
import type { ReadDeps } from '../read-runs.ts'

/** The refused connections of a run, for callers that may read the run. */
export async function readNetworkLog(
  deps: Pick<ReadDeps, 'db' | 'directory' | 'runs'>,
  principal: Principal,
  address: RunAddress,
): Promise<NetworkLog> {
  const run = await requireReadableRun(deps, principal, 'run.read_log', address)
  const refusals = await findRefusals(deps.db, run)
  const items = refusals?.entries.map(renderRefusal) ?? []
  return { run_id: run.id, items: [...items, ...capReached(run)], more: refusals?.more ?? 0 }
}

const renderRefusal = ({ count, firstAt, lastAt, ...refusal }: Refusal): RefusedConnection => ({
  ...refusal,
  explanation: refusalExplanations[refusal.reason],
  attempts: count,
  first_at: firstAt,
  last_at: lastAt,
})

/** For a run that exceeded its egress cap: a last entry that says so. */
function capReached({ error_code, terminal_at }: ShownRun): RefusedConnection[] {
  if (error_code !== 'egress_cap_exceeded' || terminal_at === null) return []
  const at = terminal_at.toISOString()
  const reason = 'cap_reached'
  const nowhere = { protocol: 'other', name: '', address: '', port: 0 } as const
  const explanation = refusalExplanations[reason]
  return [{ ...nowhere, reason, explanation, attempts: 1, first_at: at, last_at: at }]
}
