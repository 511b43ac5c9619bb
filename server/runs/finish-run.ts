import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import type { Executing } from '../db/database.ts'
import { type Move, moved } from '../db/transition.ts'
import type { SandboxExit } from '../executor/port.ts'
import { artifactsOfMoved } from './artifact-store.ts'
import type { ClaimedRun } from './claim-store.ts'
import type { Collected } from './collect-run.ts'
import { contentOfMoved } from './run-content-store.ts'
import { ended, endedAfterStart } from './run-moves.ts'
import type { RunOutcome } from './run-outcome.ts'
import { refusalsOfMoved } from './run-refusal-store.ts'

/** What is stored with a run's end; both absent where no sandbox was started. */
export interface RunEnd {
  outcome: RunOutcome
  exit?: SandboxExit
  left?: Collected
}

/** How the end moves the run: what was started has been running, though for too short a time to be told so. */
export const endMove = (run: ClaimedRun, { outcome, exit }: RunEnd): Move<RunState> =>
  exit?.startedAt ? endedAfterStart(run, outcome.state) : ended(run, outcome.state)

/**
 * Ends a run with everything it left, in one statement and so in one transaction. False when the run is not this
 * worker's any more, has ended, or may not end so from the state it is in; nothing is stored then.
 */
export async function finishRun(db: Executing, run: ClaimedRun, end: RunEnd): Promise<boolean> {
  const { state: _, ...columns } = end.outcome
  const set = {
    ...columns,
    terminal_at: sql`clock_timestamp()`,
    lease_until: null,
    ...(end.exit && measured(end.exit)),
  }
  const move = moved({ ...endMove(run, end), set }, { id: sql`${run.id}`, companyId: sql`${run.companyId}` })
  const refused = end.exit?.network.refused
  const kept = [
    ...(end.left ? [contentOfMoved(end.left), artifactsOfMoved(end.left.artifacts)] : []),
    ...(refused ? [refusalsOfMoved(refused)] : []),
  ]
  const { rows } = await sql`with ${sql.join([move, ...kept])} select from moved`.execute(db)
  return rows.length > 0
}

/** Nothing is known of what a program took that never started, or whose keeper died and left nothing. */
const measured = (exit: SandboxExit) => ({
  ...(exit.cause !== 'start_failed' &&
    exit.peakMemoryBytes > 0 && { peak_memory_bytes: exit.peakMemoryBytes, cpu_ms: exit.cpuMs }),
  measured_ingress_bytes: exit.network.ingressBytes,
  measured_egress_bytes: exit.network.egressBytes,
  ...(exit.startedAt && { started_at: startOf(exit.startedAt, exit.endedAt) }),
})

/** By the database's clock, which is not the host's. */
function startOf(startedAt: string, endedAt: string) {
  const ranSeconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  return sql`coalesce(t.started_at, greatest(t.claimed_at, now() - make_interval(secs => ${ranSeconds})))`
}
