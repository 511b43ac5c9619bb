import { type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'
import type { BuildStagesTable } from '../db/tables/environments.ts'
import { buildStages, type ChainStage } from '../environments/build-stages.ts'
import type { AttemptRow } from './attempt-store.ts'

/* Writes the table `build_stages`; the caller has locked the attempt. */

export type StageRow = Selectable<BuildStagesTable>

/** A stage that a chain has come to, and how long before it is told. */
export interface EnteredStage {
  stage: ChainStage
  agoMs: number
}

export const agoOf = ({ agoMs }: EnteredStage) => sql<Date>`now() - ${agoMs} * interval '1 millisecond'`

export type StageOutcome = 'completed' | 'failed' | 'cancelled'

/**
 * Stages in the order of the chain: each is completed by the next, and the last is open, or over with `outcome`. Of what
 * was open before, the stage before the first is completed by it; any other was cut off, and the chain is begun again.
 */
export async function enterStages(
  trx: Trx,
  attempt: Pick<AttemptRow, 'id' | 'company_id'>,
  entered: readonly EnteredStage[],
  outcome: StageOutcome | null = null,
): Promise<void> {
  const [first] = entered
  if (!first) return
  const before = buildStages[buildStages.indexOf(first.stage) - 1] ?? null
  await trx
    .updateTable('build_stages')
    .set({
      ended_at: sql<Date>`greatest(started_at, ${agoOf(first)})`,
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
      started_at: agoOf(each),
      ended_at: next ? agoOf(next) : outcome && sql<Date>`now()`,
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

/** Ends the stage that is open, if one is. */
export async function endStage(
  trx: Trx,
  attempt: Pick<AttemptRow, 'id' | 'company_id'>,
  outcome: StageOutcome,
): Promise<void> {
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
