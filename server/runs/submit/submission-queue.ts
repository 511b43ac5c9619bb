import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { currentAudit, noteQueuedRun } from '../../base/current-request.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { Rendered } from '../../base/rendered.ts'
import { settleAll } from '../../base/settle-all.ts'
import type { Charge } from '../../billing/holds/hold.ts'
import { type Database, isDatabaseUnavailable, type Trx } from '../../db/database.ts'
import { Batcher } from '../../db/fast/batcher.ts'
import { pipelinedTransaction, type ReadThenWrite } from '../../db/fast/pipelined-transaction.ts'
import type { LockedPart, PartLock } from '../parts/run-part.ts'
import type { QueuePolicy } from '../queue/queue-policy.ts'
import { lockParts } from './asked-parts.ts'
import { earlierResponse, type Intent, responseBeyondRow, responseOf } from './idempotency.ts'
import {
  findResponses,
  type RunResponse,
  responseColumns,
  type StoredResponse,
  scopeText,
} from './idempotency-store.ts'
import { LockedQueues, type NewRun } from './locked-queues.ts'
import { insertRuns, type QueuedRun } from './queued-run-store.ts'

/** A run that is queued once per idempotency key. */
export interface QueueRequest {
  intent: Intent
  run: NewRun
}

/** A run to queue in a transaction. Without an intent it is queued whatever was queued before. */
interface Entry {
  intent?: Intent
  run: NewRun
  parts?: readonly LockedPart[]
}

/** The result of one entry: its run, or the reason for the refusal. */
type Outcome = { answer: RunDetail; isNew: boolean } | { refused: unknown }

/**
 * The one way into the queue.
 *
 * Submissions without locked parts share one transaction with all others of that moment: under load the commit and the round trips
 * are most of the cost of a submission. They are independent: a refusal does not affect the others, and if the whole group
 * fails, each is tried alone. The queues of all companies of the group are locked from the first read to the commit, so limits
 * are exact, and the second of two equal requests finds the response of the first.
 */
export class SubmissionQueue {
  readonly #db: Database
  readonly #policy: QueuePolicy
  readonly #groups: Batcher<QueueRequest, Outcome>

  constructor(db: Database, policy: QueuePolicy) {
    this.#db = db
    this.#policy = policy
    this.#groups = new Batcher(
      (group, committing) => this.#enqueueGroup(group, committing),
      ({ run }) => run.input.content.length,
    )
  }

  /**
   * Queues the run, or returns the stored response of its key. Throws 409 `idempotency_conflict` or
   * `storage_quota_exceeded`, 429 `sandbox_queued_run_limit` or `queue_full`, and what `hold` and the locks throw.
   */
  async enqueue(request: QueueRequest, locks: readonly PartLock[] = []): Promise<Rendered<RunDetail>> {
    if (locks.length > 0) return new Rendered(await this.#enqueueLocked(request, locks))
    // The statement of a group is nobody's: each run states who submitted it.
    const run = { ...request.run, audit: currentAudit() }
    const outcome = await this.#groups.add({ ...request, run })
    if (!outcome) throw new Error('a submission is without an outcome')
    if ('refused' in outcome) throw outcome.refused
    if (outcome.isNew) noteQueuedRun(outcome.answer.id)
    return new Rendered(outcome.answer)
  }

  /** Queues a run within a larger transaction, which has locked its parts. Throws as `enqueue` does. */
  async enqueueWithin(trx: Trx, run: NewRun, parts: readonly LockedPart[] = []): Promise<RunDetail> {
    return this.#enqueueEntry(trx, { run, parts })
  }

  #enqueueLocked(request: QueueRequest, locks: readonly PartLock[]): Promise<RunDetail> {
    return this.#db.transaction().execute(async (trx) => {
      // Asked before, because what a repeated request names may be gone, and again when no equal request can come between.
      const earlier = await earlierResponse<RunDetail>(trx, request.intent)
      if (earlier) return earlier
      return this.#enqueueEntry(trx, { ...request, parts: await lockParts(trx, request.run, locks) })
    })
  }

  async #enqueueEntry(trx: Trx, entry: Entry): Promise<RunDetail> {
    const { read, write } = enqueueing(this.#policy, [entry])
    const [outcome] = await write(trx, await read(trx))
    if (!outcome) throw new Error('a submission is without an outcome')
    if ('refused' in outcome) throw outcome.refused
    const { answer, isNew } = outcome
    if (!isNew) return answer
    for (const part of entry.parts ?? []) await part.keep(trx, answer)
    noteQueuedRun(answer.id)
    return answer
  }

  async #enqueueGroup(group: readonly QueueRequest[], committing?: () => void): Promise<Outcome[]> {
    try {
      return await pipelinedTransaction(this.#db, enqueueing(this.#policy, group, committing))
    } catch (error) {
      if (group.length === 1 || isDatabaseUnavailable(error)) throw error
      return Promise.all(group.map((request) => this.#enqueueAlone(request)))
    }
  }

  async #enqueueAlone(request: QueueRequest): Promise<Outcome> {
    try {
      const [outcome] = await this.#enqueueGroup([request])
      return outcome ?? { refused: new Error('a submission is without an outcome') }
    } catch (error) {
      return { refused: error }
    }
  }
}

const enqueueing = (
  policy: QueuePolicy,
  entries: readonly Entry[],
  committing?: () => void,
): ReadThenWrite<[LockedQueues, Map<string, StoredResponse>], Outcome[]> => ({
  read: (trx) => {
    const runs = entries.map(({ run }) => run)
    const scopes = entries.flatMap(({ intent }) => (intent ? [intent.scope] : []))
    const responses = async () => (scopes.length > 0 ? findResponses(trx, scopes) : new Map())
    return settleAll([LockedQueues.open(trx, policy, runs), responses()])
  },
  write: async (trx, [queue, answers]) => {
    const rows: QueuedRun[] = []
    const charges: Charge[] = []
    const fresh: RunResponse[] = []
    const outcomes = entries.map(({ intent, run, parts }) =>
      outcomeOf(() => {
        const scope = intent && scopeText(intent.scope)
        const earlier = scope === undefined ? undefined : answers.get(scope)
        if (intent && earlier) return { answer: responseOf<RunDetail>(earlier, intent), isNew: false }
        const { row, shown, charge } = queue.enqueue(run, parts)
        rows.push(row)
        if (charge) charges.push(charge)
        if (intent && scope !== undefined) {
          fresh.push({ intent, runId: row.id, partial: responseBeyondRow(shown) })
          answers.set(scope, { request_hash: intent.requestHash, response: shown, run: null })
        }
        return { answer: shown, isNew: true }
      }),
    )
    const stored = fresh.length > 0 ? { answers: responseColumns(fresh), charges } : { charges }
    if (rows.length > 0) await insertRuns(trx, rows, stored)
    committing?.()
    return outcomes
  },
})

function outcomeOf(decide: () => Outcome): Outcome {
  try {
    return decide()
  } catch (error) {
    if (error instanceof CodedError) return { refused: error }
    throw error
  }
}
