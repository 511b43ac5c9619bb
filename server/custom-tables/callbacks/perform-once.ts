import { hash } from 'node:crypto'
import { CodedError } from '../../base/errors/coded-error.ts'
import { canonicalJson } from '../../base/json/canonical-json.ts'
import type { Trx } from '../../db/database.ts'
import { ValuesRefused } from '../rows/write-row.ts'
import { findEffect, insertEffect } from './effect-store.ts'

/** What a run does to a table. */
export interface Effect<Answer> {
  runId: string
  companyId: string
  /** Name of the effect within its run. Undefined: it may be repeated without harm, and is not stored. */
  key: string | undefined
  request: Record<string, unknown>
  /** Code for another request under the same key. */
  conflict: 'output_row_conflict' | 'output_command_conflict'
  perform: () => Promise<Answer>
}

/**
 * Performs the effect once for its key, and answers a repeat with the stored answer. The transaction holds the run in progress
 * and has locked the table. Throws `output_schema_violation` for values that the table refuses.
 */
export async function performOnce<Answer extends Record<string, unknown>>(
  trx: Trx,
  { runId, companyId, key, request, conflict, perform }: Effect<Answer>,
): Promise<Answer> {
  if (key === undefined) return performChecked(perform)
  const effect = { runId, companyId, key }
  const request_hash = hash('sha256', canonicalJson(request))
  const earlier = await findEffect(trx, effect)
  if (earlier) {
    if (earlier.request_hash !== request_hash) throw new CodedError(conflict)
    return earlier.response as Answer
  }
  const response = await performChecked(perform)
  await insertEffect(trx, effect, { request_hash, response })
  return response
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
