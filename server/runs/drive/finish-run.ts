import type { RunErrorCode } from '@sandbox-jobs/contract/resources/runs/run-failure.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { type RawBuilder, sql } from 'kysely'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import type { Executing } from '../../db/database.ts'
import { type Transition, transitionCtes } from '../../db/transition.ts'
import { blockedRenewalCtes } from '../../environments/retention/image-renewal-statement.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'
import { failed, type RunOutcome } from '../model/run-outcome.ts'
import { listUnfinished } from '../model/run-store.ts'
import { ended, endedAfterStart } from '../model/run-transitions.ts'
import type { LeftParts } from '../parts/run-parts.ts'
import { artifactsCte } from '../results/artifact-store.ts'
import type { Collected } from '../results/collect-run.ts'
import { contentCte } from '../results/run-content-store.ts'
import { refusalsCte } from '../results/run-refusal-store.ts'

/** The end of a run and what is stored with it. `exit` and `results` are absent if no sandbox was started. */
export interface RunEnd {
  outcome: RunOutcome
  exit?: SandboxExit
  results?: Collected & { parts: LeftParts }
}

/** The final transition. A started run also passes through `running`, if it ended before that was written. */
export const endTransition = (run: ClaimedRun, { outcome, exit }: RunEnd): Transition<RunState> =>
  exit?.startedAt ? endedAfterStart(run, outcome.state) : ended(run, outcome.state)

/**
 * Ends a run and stores its results, in one statement and so in one transaction. Returns false and stores nothing if the run
 * belongs to another worker, has ended, or its state does not allow this end.
 */
export async function finishRun(db: Executing, run: ClaimedRun, end: RunEnd): Promise<boolean> {
  const { rows } = await finishStatement(run, end).execute(db)
  return rows.length > 0
}

/** The statement that ends a run, which docs/sql/finish.sql prints. */
export function finishStatement(run: ClaimedRun, end: RunEnd): RawBuilder<unknown> {
  const { state: _, ...columns } = end.outcome
  const set = {
    ...columns,
    terminal_at: sql`clock_timestamp()`,
    lease_until: null,
    ...(end.exit && measured(end.exit)),
  }
  const move = transitionCtes(
    { ...endTransition(run, end), set },
    { id: sql`${run.id}`, companyId: sql`${run.companyId}` },
  )
  const refused = end.exit?.network.refused
  const kept = [
    ...(end.results ? [contentCte(end.results)] : []),
    ...(end.results && end.results.artifacts.length > 0 ? [artifactsCte(end.results.artifacts)] : []),
    ...(refused ? [refusalsCte(refused)] : []),
    ...[...(end.results?.parts.values() ?? [])].flatMap(({ finish }) => finish?.() ?? []),
    ...(columns.error_code === imageUnavailable ? [blockedRenewalCtes(versionOfMoved)] : []),
  ]
  return sql`with ${sql.join([move, ...kept])} select from moved`
}

const imageUnavailable: RunErrorCode = 'image_unavailable'

const versionOfMoved = sql`
  select t.environment_version_id as version_id, moved.company_id
  from moved join task_versions t on t.id = moved.task_version_id and t.company_id = moved.company_id`

/** There are no measurements of a program that never started, or whose shim died without a record. */
const measured = (exit: SandboxExit) => ({
  ...(exit.cause !== 'start_failed' &&
    exit.peakMemoryBytes > 0 && { peak_memory_bytes: exit.peakMemoryBytes, cpu_ms: exit.cpuMs }),
  measured_ingress_bytes: exit.network.ingressBytes,
  measured_egress_bytes: exit.network.egressBytes,
  ...(exit.startedAt && { started_at: startOf(exit.startedAt, exit.endedAt) }),
})

/** The start time by the database's clock, which may differ from the host's. */
function startOf(startedAt: string, endedAt: string) {
  const ranSeconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  return sql`coalesce(t.started_at, greatest(t.claimed_at, now() - make_interval(secs => ${ranSeconds})))`
}

const endedAtOnce = 500

/**
 * Ends every run that had not ended when the backup was made, and returns their number. Such a run may have started or
 * ended since, and a backup does not include the host's records that would prove it. So none is started again.
 */
export async function endRestoredRuns(db: Executing): Promise<number> {
  const outcome = failed('restored_from_backup')
  for (let count = 0; ; ) {
    const runs = await listUnfinished(db, endedAtOnce)
    for (const run of runs) {
      if (!(await finishRun(db, run, { outcome }))) throw new Error(`run ${run.id} cannot be ended`)
    }
    count += runs.length
    if (runs.length < endedAtOnce) return count
  }
}
