import { hash } from 'node:crypto'
import { CodedError } from '../../base/errors/coded-error.ts'
import { canonicalJson } from '../../base/json/canonical-json.ts'
import type { CallbackCredentials } from '../../custom-tables/callbacks/callback-credentials.ts'
import { findEffect, insertEffect } from '../../custom-tables/callbacks/effect-store.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import { ValuesRefused } from '../../custom-tables/rows/write-row.ts'
import type { Trx } from '../../db/database.ts'
import {
  type CallbackClaim,
  type CallbackRun,
  findCallbackRun,
  holdCallbackRun,
} from './callback-run-store.ts'

/*
 * A call of a job with the credential of its run (contract part 2, "Command-output callback errors").
 *
 * Each effect is one transaction: it locks the target's table, holds the run in progress, looks for an earlier effect of the
 * same name, changes the row and stores the effect with its answer. So a repeated call, also one whose first answer was
 * lost with the process, finds the effect and gets that answer; and nothing is written by a run that has ended.
 */

export interface CallbackDeps extends OutputPolicyDeps {
  credentials: CallbackCredentials
}

export interface CallbackCall {
  tokenId: string
  /** The header of that name. */
  authorization: string | undefined
}

export interface AcceptedRun {
  claim: CallbackClaim
  run: CallbackRun
}

/** The run that calls. Throws `output_run_unavailable`, and `output_policy_author_denied` if it has lost its authority. */
export async function acceptCallback(deps: CallbackDeps, call: CallbackCall): Promise<AcceptedRun> {
  const secret = /^Bearer ([A-Za-z0-9_-]{1,128})$/i.exec(call.authorization ?? '')?.[1]
  const credential = await deps.credentials.find(call.tokenId, secret)
  if (!credential) throw new CodedError('output_run_unavailable', {}, 404)
  if (credential.is_expired) throw new CodedError('output_run_unavailable')
  const { run_id, company_id, fence } = credential
  const claim = { run_id, company_id, fence }
  const run = await findCallbackRun(deps.db, claim)
  if (!run) throw new CodedError('output_run_unavailable')
  if (run.lost_authority) throw new CodedError('output_policy_author_denied')
  return { claim, run }
}

export interface Effect<Answer> {
  /** Undefined: it may be repeated without harm, and is not stored. */
  key: string | undefined
  request: Record<string, unknown>
  conflict: 'output_row_conflict' | 'output_command_conflict'
  perform: () => Promise<Answer>
}

/** Performs the effect once for its key. The transaction has locked the table that it changes. */
export async function performOnce<Answer extends Record<string, unknown>>(
  trx: Trx,
  claim: CallbackClaim,
  { key, request, conflict, perform }: Effect<Answer>,
): Promise<Answer> {
  if (!(await holdCallbackRun(trx, claim))) throw new CodedError('output_run_unavailable')
  if (key === undefined) return performChecked(perform)
  const effect = { runId: claim.run_id, companyId: claim.company_id, key }
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
