import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'

export interface EffectKey {
  runId: string
  companyId: string
  key: string
}

export interface StoredEffect {
  request_hash: string
  response: Record<string, unknown>
}

/** Writes the table `run_output_effects`. The transaction has locked the run's row against its end and the target's table. */
export const findEffect = (
  trx: Trx,
  { runId, companyId, key }: EffectKey,
): Promise<StoredEffect | undefined> =>
  trx
    .selectFrom('run_output_effects')
    .select(['request_hash', 'response'])
    .where('company_id', '=', companyId)
    .where('run_id', '=', runId)
    .where('effect_key', '=', key)
    .executeTakeFirst()

export const insertEffect = (
  trx: Trx,
  { runId, companyId, key }: EffectKey,
  { request_hash, response }: StoredEffect,
): Promise<unknown> =>
  trx
    .insertInto('run_output_effects')
    .values({
      run_id: runId,
      company_id: companyId,
      effect_key: key,
      request_hash,
      response: JSON.stringify(response),
    })
    .execute()

/** Removes what is older than any run may last, and a day; returns the number of rows. */
export async function dropOldEffects(db: Executing, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from run_output_effects where ctid in (
      select ctid from run_output_effects where created_at < now() - interval '9 days' order by created_at limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
