import { hash } from 'node:crypto'
import { outputEffectsOfRunMax } from '@sandbox-jobs/contract/limits.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { canonicalJson } from '../../base/json/canonical-json.ts'
import type { Trx } from '../../db/database.ts'
import { ValuesRefused } from '../rows/write-row.ts'
import { countEffect } from './credential-store.ts'
import { findEffect, insertEffect } from './effect-store.ts'

/** The effect of a run on a table. */
export interface Effect<Answer> {
  runId: string
  companyId: string
  /** Of the claim that the credential belongs to. */
  fence: number
  /** Name of the effect within its run. Undefined: it may be repeated without harm, and is not stored. */
  key: string | undefined
  request: Record<string, unknown>
  /** Code for another request under the same key. */
  conflict: 'output_row_conflict' | 'output_command_conflict'
  perform: () => Promise<Answer>
}

/**
 * Performs the effect once for its key, and answers a repeat with the stored answer. The transaction holds the run in progress
 * and has locked the table. Throws `output_effect_limit`, and `output_schema_violation` for values that the table refuses.
 */
export async function performOnce<Answer extends Record<string, unknown>>(
  trx: Trx,
  given: Effect<Answer>,
): Promise<Answer> {
  const { runId, companyId, key, request, conflict } = given
  if (key === undefined) return performCounted(trx, given)
  const effect = { runId, companyId, key }
  const request_hash = hash('sha256', canonicalJson(request))
  const earlier = await findEffect(trx, effect)
  if (earlier) {
    if (earlier.request_hash !== request_hash) throw new CodedError(conflict)
    return earlier.response as Answer
  }
  const response = await performCounted(trx, given)
  await insertEffect(trx, effect, { request_hash, response })
  return response
}

async function performCounted<Answer>(trx: Trx, effect: Effect<Answer>): Promise<Answer> {
  const { runId: run_id, companyId: company_id, fence, perform } = effect
  if (!(await countEffect(trx, { run_id, company_id, fence }, outputEffectsOfRunMax)))
    throw new CodedError('output_effect_limit', { limit: outputEffectsOfRunMax })
  return performChecked(perform)
}

async function performChecked<Answer>(perform: () => Promise<Answer>): Promise<Answer> {
  try {
    return await perform()
  } catch (error) {
    throw error instanceof ValuesRefused
      ? new CodedError('output_schema_violation', { errors: error.problems })
      : error
  }
}
