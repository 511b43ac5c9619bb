import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { transition } from '../db/transition.ts'
import type { SandboxExit } from '../executor/port.ts'
import { insertArtifacts } from './artifact-store.ts'
import type { ClaimedRun } from './claim-store.ts'
import type { Collected } from './collect-run.ts'
import { insertContent } from './run-content-store.ts'
import { ended } from './run-moves.ts'
import type { RunOutcome } from './run-outcome.ts'

/** What is stored with a run's end; both absent where no sandbox was started. */
export interface RunEnd {
  outcome: RunOutcome
  exit?: SandboxExit
  left?: Collected
}

/**
 * Ends a run with everything it left, in one transaction. False when the run is not this worker's any more, has
 * ended, or may not end so from the state it is in; nothing is stored then.
 */
export async function finishRun(db: Database, run: ClaimedRun, end: RunEnd): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { state, ...columns } = end.outcome
    const left = await transition(trx, {
      ...ended(run, state),
      set: {
        ...columns,
        terminal_at: sql`clock_timestamp()`,
        lease_until: null,
        ...(end.exit && measured(end.exit)),
      },
    })
    if (left === undefined) return false
    if (end.left) {
      await insertContent(trx, run, end.left)
      await insertArtifacts(trx, run, end.left.artifacts)
    }
    return true
  })
}

const measured = ({ peakMemoryBytes, cpuMs, network }: SandboxExit) => ({
  peak_memory_bytes: peakMemoryBytes,
  cpu_ms: cpuMs,
  measured_ingress_bytes: network.ingressBytes,
  measured_egress_bytes: network.egressBytes,
})
