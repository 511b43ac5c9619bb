import { nameActor } from '../../base/current-request.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type {
  CallbackCredentials,
  FoundCredential,
} from '../../custom-tables/callbacks/callback-credentials.ts'
import { type Effect, performOnce } from '../../custom-tables/callbacks/perform-once.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import type { Trx } from '../../db/database.ts'
import {
  type CallbackClaim,
  type CallbackRun,
  findCallbackRun,
  lockCallbackRun,
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

/** The credential of a call, before the rest of it is read. Throws `output_run_unavailable`. */
export async function credentialOf(
  { credentials }: CallbackDeps,
  call: CallbackCall,
): Promise<FoundCredential> {
  const secret = /^Bearer ([A-Za-z0-9_-]{1,128})$/i.exec(call.authorization ?? '')?.[1]
  const credential = await credentials.find(call.tokenId, secret)
  if (!credential) throw new CodedError('output_run_unavailable', {}, 404)
  if (credential.is_expired) throw new CodedError('output_run_unavailable')
  return credential
}

/** The run that calls. Throws `output_run_unavailable`, and `output_policy_author_denied` if it has lost its authority. */
export async function acceptCallback(
  deps: CallbackDeps,
  { run_id, company_id, fence }: FoundCredential,
): Promise<AcceptedRun> {
  const claim = { run_id, company_id, fence }
  const run = await findCallbackRun(deps.db, claim)
  if (!run) throw new CodedError('output_run_unavailable')
  if (run.lost_authority) throw new CodedError('output_policy_author_denied')
  nameActor({ actor_type: 'run', actor_id: run_id, run_id })
  return { claim, run }
}

/**
 * Performs an effect of the run once, while the run is in progress. The transaction has locked the table that it changes. Throws
 * `output_run_unavailable`, `output_effect_limit`.
 */
export async function performForRun<Answer extends Record<string, unknown>>(
  trx: Trx,
  claim: CallbackClaim,
  effect: Omit<Effect<Answer>, 'runId' | 'companyId' | 'fence'>,
): Promise<Answer> {
  if (!(await lockCallbackRun(trx, claim))) throw new CodedError('output_run_unavailable')
  return performOnce(trx, { ...effect, runId: claim.run_id, companyId: claim.company_id, fence: claim.fence })
}
