import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { currentAudit } from '../../base/current-request.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { Rendered } from '../../base/rendered.ts'
import { settleAll } from '../../base/sharing/settle-all.ts'
import type { Charge } from '../../billing/holds/hold.ts'
import { type Database, isDatabaseUnavailable } from '../../db/database.ts'
import { Batcher } from '../../db/fast/batcher.ts'
import { pipelinedTransaction, type ReadThenWrite } from '../../db/fast/pipelined-transaction.ts'
import type { QueuePolicy } from '../queue/queue-policy.ts'
import { type Intent, responseBeyondRow, responseOf } from './idempotency.ts'
import { type RunResponse, responseColumns, scopeText } from './idempotency-store.ts'
import { LockedQueues, type NewRun } from './locked-queues.ts'
import { insertRuns, type QueuedRun } from './queued-run-store.ts'
import { findResponses, type StoredResponse } from './stored-response-store.ts'

/** A run that is queued once per idempotency key. */
export interface QueueRequest {
  intent: Intent
  run: NewRun
}

/** The result of one request of a group: its run, or the reason for the refusal. */
type Outcome = { answer: Rendered<RunDetail> } | { refused: unknown }

/**
 * Queues submitted runs, with one transaction for all concurrent submissions: under load the commit and the round trips are
 * most of the cost of a submission.
 *
 * The requests of a group are independent: a refusal does not affect the others, and if the whole group fails, each is tried
 * alone. The queues of all companies of the group are locked from the first read to the commit, so limits are exact, and
 * the second of two equal requests finds the response of the first.
 */
export class SubmissionQueue {
  readonly #db: Database
  readonly #policy: QueuePolicy
  readonly #groups: Batcher<QueueRequest, Outcome>

  constructor(db: Database, policy: QueuePolicy) {
    this.#db = db
    this.#policy = policy
    this.#groups = new Batcher(
      (group, committing) => this.#enqueue(group, committing),
      ({ run }) => run.input.content.length,
    )
  }

  /**
   * Queues the run, or returns the stored response of its key. Throws 409 `idempotency_conflict` or
   * `storage_quota_exceeded`, 429 `sandbox_queued_run_limit` or `queue_full`, and what `hold` throws.
   */
  async enqueue(request: QueueRequest): Promise<Rendered<RunDetail>> {
    // The statement of a group is nobody's: each run states who submitted it.
    const run = { ...request.run, audit: currentAudit() }
    const outcome = await this.#groups.add({ ...request, run })
    if (!outcome) throw new Error('a submission is without an outcome')
    if ('refused' in outcome) throw outcome.refused
    return outcome.answer
  }

  async #enqueue(group: readonly QueueRequest[], committing?: () => void): Promise<Outcome[]> {
    try {
      return await pipelinedTransaction(this.#db, enqueueGroup(this.#policy, group, committing))
    } catch (error) {
      if (group.length === 1 || isDatabaseUnavailable(error)) throw error
      return Promise.all(group.map((request) => this.#enqueueAlone(request)))
    }
  }

  async #enqueueAlone(request: QueueRequest): Promise<Outcome> {
    try {
      const [outcome] = await this.#enqueue([request])
      return outcome ?? { refused: new Error('a submission is without an outcome') }
    } catch (error) {
      return { refused: error }
    }
  }
}

const enqueueGroup = (
  policy: QueuePolicy,
  group: readonly QueueRequest[],
  committing?: () => void,
): ReadThenWrite<[LockedQueues, Map<string, StoredResponse>], Outcome[]> => ({
  read: (trx) => {
    const runs = group.map(({ run }) => run)
    const scopes = group.map(({ intent }) => intent.scope)
    return settleAll([LockedQueues.open(trx, policy, runs), findResponses(trx, scopes)])
  },
  write: async (trx, [queue, answers]) => {
    const rows: QueuedRun[] = []
    const charges: Charge[] = []
    const fresh: RunResponse[] = []
    const outcomes = group.map(({ intent, run }) =>
      outcomeOf(() => {
        const scope = scopeText(intent.scope)
        const earlier = answers.get(scope)
        if (earlier) return new Rendered(responseOf<RunDetail>(earlier, intent))
        const { row, shown, charge } = queue.enqueue(run)
        rows.push(row)
        if (charge) charges.push(charge)
        fresh.push({ intent, runId: row.id, partial: responseBeyondRow(shown) })
        answers.set(scope, { request_hash: intent.requestHash, response: shown, run: null })
        return new Rendered(shown)
      }),
    )
    if (rows.length > 0) await insertRuns(trx, rows, { answers: responseColumns(fresh), charges })
    committing?.()
    return outcomes
  },
})

function outcomeOf(decide: () => Rendered<RunDetail>): Outcome {
  try {
    return { answer: decide() }
  } catch (error) {
    if (error instanceof CodedError) return { refused: error }
    throw error
  }
}
