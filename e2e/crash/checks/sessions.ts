import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Tenant } from '../../main-job/tenant.ts'
import type { Kill } from '../faults/killer.ts'
import type { StoredRun } from '../load/history.ts'
import { sessionLog } from '../load/job.ts'
import type { Intent } from '../load/load.ts'

interface SessionEvidence {
  tenant: Tenant
  sessions: readonly string[]
  /** Those of all rounds. */
  everyIntent: readonly Intent[]
  everyKill: readonly Kill[]
  runs: ReadonlyMap<string, StoredRun>
}

/** States of a run that leave its session unchanged. */
const unchanged = ['cancelled', 'platform_failed']

/**
 * Each job with a session adds its nonce to a file there. When all work has ended no run holds a session, and the file has, once, the
 * nonce of each run that ended by itself, and of no run that was cancelled or lost. A job that was killed may have ended before its line.
 */
export async function findSessionFaults(evidence: SessionEvidence): Promise<string[]> {
  const faults: string[] = []
  for (const sid of evidence.sessions) faults.push(...(await faultsOf(sid, evidence)))
  return faults
}

async function faultsOf(
  sid: string,
  { tenant, everyIntent, everyKill, runs }: SessionEvidence,
): Promise<string[]> {
  const params = { cid: tenant.room, sid }
  const { run_id } = await tenant.client.call(allRoutes.readSession, { params })
  const faults = run_id === null ? [] : [`${sid} is held by ${run_id}`]
  const lines = await linesOf(tenant, params)
  for (const { input, runs: ids } of everyIntent.filter(({ session }) => session === sid)) {
    const run = runs.get([...ids][0] ?? '')
    const count = lines.filter((line) => line === input.nonce).length
    if (!run) continue
    const label = `${run.id} (${run.state} ${run.error_code})`
    if (count > 1) faults.push(`${label} is ${count} times in its session`)
    const isKilled = everyKill.some(({ runId }) => runId === run.id)
    const endedByItself = run.state === 'completed' || (run.error_code === 'work_exit_nonzero' && !isKilled)
    if (count === 0 && endedByItself) faults.push(`${label} left nothing in its session`)
    if (count > 0 && unchanged.includes(run.state)) faults.push(`${label} changed its session`)
  }
  return faults
}

/** None while no run has left the file. */
async function linesOf({ client }: Tenant, params: { cid: string; sid: string }): Promise<string[]> {
  const { items } = await client.call(allRoutes.listSessionFiles, { params })
  if (items.length === 0) return []
  const file = await client.call(allRoutes.readSessionFile, { params, query: { path: sessionLog } })
  return (await file.text()).trimEnd().split('\n')
}
