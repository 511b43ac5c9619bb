import { hash } from 'node:crypto'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { canonicalJson } from '../../base/json/canonical-json.ts'
import type { Database, Trx } from '../../db/database.ts'
import { renderRun } from '../read/render-run.ts'
import {
  findResponses,
  type IdempotencyScope,
  type StoredResponse,
  scopeText,
  storeResponse,
  takeKey,
} from './idempotency-store.ts'
import { asQueued } from './queued-run-store.ts'

export interface Intent {
  scope: IdempotencyScope
  requestHash: string
  /** The hash of the same request under the former key, for a hash that has a key. */
  formerRequestHash?: string | undefined
}

/** Keys are scoped to the caller: the id of the API key if there is one, otherwise of the person. */
export const intentScope = (principal: Principal, route: string, key: string): IdempotencyScope => ({
  companyId: principal.companyId,
  principalId: principal.apiKey?.id ?? principal.principalId,
  route,
  key,
})

/** Two requests are the same if all fields except key and credentials are equal. */
export const hashRequest = (request: Record<string, unknown>): string =>
  hash('sha256', canonicalJson(request))

/** The stored response of this key. Throws 409 `idempotency_conflict` if it belongs to a different request. */
export async function earlierResponse<Answer>(
  db: Database | Trx,
  intent: Intent,
): Promise<Answer | undefined> {
  const given = (await findResponses(db, [intent.scope])).get(scopeText(intent.scope))
  return given && responseOf<Answer>(given, intent)
}

/** The response for a key that is taken. Throws as `earlierResponse` does. */
export function responseOf<Answer>({ request_hash, response, run }: StoredResponse, intent: Intent): Answer {
  if (request_hash !== intent.requestHash && request_hash !== intent.formerRequestHash)
    throw new CodedError('idempotency_conflict')
  if (response === null) throw new Error('an idempotency key was committed without its answer')
  return (run ? { ...renderRun({ ...run, ...asQueued }, undefined), ...response } : response) as Answer
}

/** The fields of a response that cannot be derived from the run's row: its wait at that time. The rest is not stored twice. */
export const responseBeyondRow = ({ wait_reason, next_action, queue_position, eta_seconds }: RunDetail) => ({
  wait_reason,
  next_action,
  queue_position,
  eta_seconds,
})

/**
 * Executes `work` once per key, in one transaction with the key. Repeated requests get the first response, also if they are
 * concurrent. If `work` throws, the key stays free.
 */
export async function once<Answer extends Record<string, unknown>>(
  db: Database,
  intent: Intent,
  work: (trx: Trx) => Promise<Answer>,
): Promise<Answer> {
  return db.transaction().execute(async (trx) => {
    if (await takeKey(trx, intent.scope, intent.requestHash)) {
      const answer = await work(trx)
      await storeResponse(trx, intent.scope, answer)
      return answer
    }
    const earlier = await earlierResponse<Answer>(trx, intent)
    if (!earlier) throw new Error('an idempotency key was committed without its answer')
    return earlier
  })
}
