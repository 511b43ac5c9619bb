import { hash } from 'node:crypto'
import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { CodedError } from '../base/coded-error.ts'
import type { Database, Trx } from '../db/database.ts'
import type { Principal } from '../platform/principal.ts'
import { findAnswers, type GivenAnswer } from './given-answer-store.ts'
import { type IdempotencyScope, keepAnswer, scopeText, takeKey } from './idempotency-store.ts'
import { renderRun } from './render-run.ts'
import { asQueued } from './run-store.ts'

export interface Intent {
  scope: IdempotencyScope
  requestHash: string
}

/** Whoever repeats must be the one who asked: an API key's own id, else the person's. */
export const intentScope = (principal: Principal, route: string, key: string): IdempotencyScope => ({
  companyId: principal.companyId,
  principalId: principal.apiKey?.id ?? principal.principalId,
  route,
  key,
})

/** What makes two requests the same: everything but the key and the credentials. */
export const hashRequest = (request: Record<string, unknown>): string =>
  hash('sha256', canonicalJson(request))

/** The answer that this key was given before. Throws 409 `idempotency_conflict` when it was for another request. */
export async function earlierAnswer<Answer>(db: Database | Trx, intent: Intent): Promise<Answer | undefined> {
  const given = (await findAnswers(db, [intent.scope])).get(scopeText(intent.scope))
  return given && answerIn<Answer>(given, intent)
}

/** The same of a key that was found to be taken. */
export function answerIn<Answer>({ request_hash, response, run }: GivenAnswer, intent: Intent): Answer {
  if (request_hash !== intent.requestHash) throw new CodedError('idempotency_conflict')
  if (response === null) throw new Error('an idempotency key was committed without its answer')
  return (run ? { ...renderRun({ ...run, ...asQueued }, undefined), ...response } : response) as Answer
}

/**
 * What the row of a queued run does not tell of the answer that shows it: where the run stood in the queue, in the words
 * of the time. The rest is not stored twice.
 */
export const besideItsRow = ({ wait_reason, next_action, queue_position, eta_seconds }: RunDetail) => ({
  wait_reason,
  next_action,
  queue_position,
  eta_seconds,
})

/**
 * Does `work` once per key, in one transaction with the key: a repeated request gets the first answer, however many
 * come at once. Work that throws leaves the key free.
 */
export async function once<Answer extends Record<string, unknown>>(
  db: Database,
  intent: Intent,
  work: (trx: Trx) => Promise<Answer>,
): Promise<Answer> {
  return db.transaction().execute(async (trx) => {
    if (await takeKey(trx, intent.scope, intent.requestHash)) {
      const answer = await work(trx)
      await keepAnswer(trx, intent.scope, answer)
      return answer
    }
    const earlier = await earlierAnswer<Answer>(trx, intent)
    if (!earlier) throw new Error('an idempotency key was committed without its answer')
    return earlier
  })
}
