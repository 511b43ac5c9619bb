import { type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'
import type { BuildStagesTable } from '../db/tables/environments.ts'
import { buildStages, type ChainStage } from '../environments/build-stages.ts'
import type { AttemptRow } from './attempt-store.ts'

/* Writes the table `build_stages`; the caller has locked the attempt. */

export type StageRow = Selectable<BuildStagesTable>

/** The stage before it is completed by that; any other that is open was cut off, and the chain is begun again. */
export async function beginStage(
  trx: Trx,
  attempt: Pick<AttemptRow, 'id' | 'company_id'>,
  stage: ChainStage,
): Promise<void> {
  const before = buildStages[buildStages.indexOf(stage) - 1] ?? null
  await trx
    .updateTable('build_stages')
    .set({
      ended_at: sql<Date>`now()`,
      outcome: sql`case when stage = ${before} then 'completed' else 'interrupted' end`,
    })
    .where('attempt_id', '=', attempt.id)
    .where('ended_at', 'is', null)
    .execute()
  await trx
    .insertInto('build_stages')
    .values({ attempt_id: attempt.id, company_id: attempt.company_id, stage })
    .onConflict((conflict) =>
      conflict.columns(['attempt_id', 'stage']).doUpdateSet({
        started_at: sql`now()`,
        ended_at: null,
        outcome: null,
        passes: sql`build_stages.passes + 1`,
      }),
    )
    .execute()
}

/** Ends the stage that is open, if one is. */
export async function endStage(
  trx: Trx,
  attemptId: string,
  outcome: 'completed' | 'failed' | 'cancelled',
): Promise<void> {
  await trx
    .updateTable('build_stages')
    .set({ ended_at: sql<Date>`now()`, outcome })
    .where('attempt_id', '=', attemptId)
    .where('ended_at', 'is', null)
    .execute()
}

export async function listStages(db: Executing, attemptId: string): Promise<StageRow[]> {
  return db.selectFrom('build_stages').selectAll().where('attempt_id', '=', attemptId).execute()
}
