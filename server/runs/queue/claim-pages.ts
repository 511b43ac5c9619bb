import { turnsTried } from '../../capacity/waiting-companies-statement.ts'
import type { Database } from '../../db/database.ts'
import type { NextRun } from '../model/claimed-run.ts'
import { dropIdleCompanies } from './queue-turn-store.ts'

/** The companies without live runs that one statement tries, after those that earlier ones tried. */
export interface TriedCompanies {
  skipped: number
  tried: number
}

/** The outcome of one statement. */
export interface ClaimPage {
  runs: NextRun[]
  /** Companies with an earlier turn and no startable run. */
  passedOver: string[]
}

/** Claims of the first companies in turn, and of further ones while none of these has a startable run. */
export async function claimPages(
  db: Database,
  claim: (turns: TriedCompanies) => Promise<ClaimPage>,
): Promise<NextRun[]> {
  for (let skipped = 0; ; ) {
    const tried = Math.max(skipped, turnsTried)
    const { runs, passedOver } = await claim({ skipped, tried })
    const dropped = await dropIdleCompanies(db, passedOver)
    if (runs.length > 0) return runs
    if (dropped > 0) continue
    // None of these companies has a startable run; a company behind them may have one.
    if (passedOver.length < tried) return []
    skipped += tried
  }
}
