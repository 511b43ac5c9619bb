import { profileOf } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { RunUsage } from '@sandbox-jobs/contract/resources/runs/run-usage.ts'
import type { Principal } from '../../access/principal.ts'
import { type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import { findUsage } from '../model/run-store.ts'
import type { ReadDeps } from './read-runs.ts'

const mib = 1024 * 1024

/** The resources that a run used, for callers that may read it. */
export async function readRunUsage(
  deps: Pick<ReadDeps, 'db' | 'directory' | 'runs'>,
  principal: Principal,
  address: RunAddress,
): Promise<RunUsage> {
  const run = await requireReadableRun(deps, principal, 'run.read_log', address)
  const usage = await findUsage(deps.db, run)
  return {
    run_id: run.id,
    peak_memory_bytes: usage?.peak_memory_bytes ?? null,
    memory_limit_bytes: profileOf(run.resource_profile).provider_memory_mib * mib,
    cpu_ms: usage?.cpu_ms ?? null,
    ingress_bytes: run.measured_ingress_bytes,
    egress_bytes: run.measured_egress_bytes,
    started_at: usage?.started_at?.toISOString() ?? null,
    terminal_at: run.terminal_at?.toISOString() ?? null,
  }
}
