import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { AuditEntry } from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type pg from 'pg'
import { minimalEnvironment, sandboxProgram } from '../../main-job/service.ts'
import type { Tenant } from '../../main-job/tenant.ts'
import type { StoredRun } from '../load/history.ts'

const chainedWithinMs = 30_000
const pollMs = 250

/**
 * After all work has ended: the audit log has its chain and its signed head, and each change of state of a run is one entry of
 * it, in their order.
 */
export async function findAuditFaults(
  database: pg.Client,
  tenant: Tenant,
  runs: readonly StoredRun[],
): Promise<string[]> {
  const waiting = await chained(database)
  if (waiting > 0) return [`${waiting} changes are not in the audit log`]
  const broken = await brokenAt(tenant)
  if (broken !== undefined) return [`the audit log is broken: ${broken}`]
  const exported = await (await tenant.client.call(allRoutes.exportAuditEntries)).text()
  const lines = exported.trimEnd().split('\n')
  const entries = lines.slice(1).map((line) => JSON.parse(line) as AuditEntry)
  const statesOf = Map.groupBy(
    entries.filter(({ object_type, change }) => object_type === 'run' && change === 'state'),
    ({ object_id }) => object_id,
  )
  return runs.flatMap(({ id, states }) => {
    // The first state is that of the new run.
    const changes = states.slice(1).join(', ')
    const logged = (statesOf.get(id) ?? []).map(({ to_state }) => to_state).join(', ')
    return logged === changes ? [] : [`${id} went through ${changes}, its audit log through ${logged}`]
  })
}

/** Waits until every change is in the log, and returns how many are not. */
async function chained(database: pg.Client): Promise<number> {
  for (const startedAt = performance.now(); ; await sleep(pollMs)) {
    const { rows } = await database.query<{ left: number }>('select count(*)::int as left from audit_pending')
    const left = rows[0]?.left ?? 0
    if (left === 0 || performance.now() - startedAt > chainedWithinMs) return left
  }
}

/** Output of `sandbox audit verify` about a broken log. */
async function brokenAt({ baseUrl, token }: Tenant): Promise<string | undefined> {
  const env = { ...minimalEnvironment(), SANDBOX_URL: baseUrl, SANDBOX_TOKEN: token }
  const verify = promisify(execFile)(sandboxProgram, ['audit', 'verify', '--json'], { env })
  return verify.then(
    () => undefined,
    (error: Error & { stdout?: string }) => error.stdout || error.message,
  )
}
