import { type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../../db/database.ts'
import type { BuildAttemptsTable, BuildStagesTable } from '../../../db/tables/environments.ts'
import { buildStages, type ChainStage } from '../../../environments/versions/build-stages.ts'

/* Writes the table `build_stages`; the caller has locked the attempt. */

type Attempt = Pick<Selectable<BuildAttemptsTable>, 'id' | 'company_id'>

export type StageRow = Selectable<BuildStagesTable>

/** A stage that the chain entered, and how long ago. */
export interface EnteredStage {
  stage: ChainStage
  agoMs: number
}

export const enteredAt = ({ agoMs }: EnteredStage) => sql<Date>`now() - ${agoMs} * interval '1 millisecond'`

export type StageOutcome = 'completed' | 'failed' | 'cancelled'

/**
 * Records stages in the order of the chain: each completes the one before it, and the last is open, or ends with `outcome`.
 * If the stage that was open is the one before the first of them, it is completed; any other was interrupted, and the chain
 * runs again.
 */
export async function enterStages(
  trx: Trx,
  attempt: Attempt,
  entered: readonly EnteredStage[],
  outcome: StageOutcome | null = null,
): Promise<void> {
  const [first] = entered
  if (!first) return
  const before = buildStages[buildStages.indexOf(first.stage) - 1] ?? null
  await trx
    .updateTable('build_stages')
    .set({
      ended_at: sql<Date>`greatest(started_at, ${enteredAt(first)})`,
      outcome: sql`case when stage = ${before} then 'completed' else 'interrupted' end`,
    })
    .where('attempt_id', '=', attempt.id)
    .where('company_id', '=', attempt.company_id)
    .where('ended_at', 'is', null)
    .execute()
  const rows = entered.map((each, at) => {
    const next = entered[at + 1]
    return {
      attempt_id: attempt.id,
      company_id: attempt.company_id,
      stage: each.stage,
      started_at: enteredAt(each),
      ended_at: next ? enteredAt(next) : outcome && sql<Date>`now()`,
      outcome: next ? ('completed' as const) : outcome,
    }
  })
  await trx
    .insertInto('build_stages')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['attempt_id', 'stage']).doUpdateSet({
        started_at: sql`excluded.started_at`,
        ended_at: sql`excluded.ended_at`,
        outcome: sql`excluded.outcome`,
        passes: sql`build_stages.passes + 1`,
      }),
    )
    .execute()
}

/** Ends the open stage, if there is one. */
export async function endStage(trx: Trx, attempt: Attempt, outcome: StageOutcome): Promise<void> {
  await trx
    .updateTable('build_stages')
    .set({ ended_at: sql<Date>`now()`, outcome })
    .where('attempt_id', '=', attempt.id)
    .where('company_id', '=', attempt.company_id)
    .where('ended_at', 'is', null)
    .execute()
}

export async function listStages(
  db: Executing,
  attempt: { companyId: string; attemptId: string },
): Promise<StageRow[]> {
  return db
    .selectFrom('build_stages')
    .selectAll()
    .where('attempt_id', '=', attempt.attemptId)
    .where('company_id', '=', attempt.companyId)
    .execute()
}
