import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { allEnded } from '../base/all-ended.ts'
import { CodedError } from '../base/coded-error.ts'
import { Rendered } from '../base/rendered.ts'
import { type Database, isDatabaseAway } from '../db/database.ts'
import { Gathered } from '../db/gathered.ts'
import { type Halves, pipelined } from '../db/pipelined.ts'
import { findAnswers, type GivenAnswer } from './given-answer-store.ts'
import { answerIn, besideItsRow, type Intent } from './idempotency.ts'
import { type AnsweredRun, answerColumns, scopeText } from './idempotency-store.ts'
import { type NewRun, OpenQueue } from './open-queue.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { insertRuns, type QueuedRun } from './run-store.ts'

/** A run to be queued once, whatever is repeated. */
export interface QueueRequest {
  intent: Intent
  run: NewRun
}

/** What became of one request of a group: its run, or why it has none. */
type Outcome = { answer: Rendered<RunDetail> } | { refused: unknown }

/**
 * Queues the runs that are submitted, those of one moment in one transaction: under load most of what a submission
 * costs is its share of a commit and of the ways to the database and back.
 *
 * Within a group each stands for itself: one that is refused takes nothing from the others, and should the group as a
 * whole fail, each is tried alone. The queues of all companies concerned are held from the first look to the commit, so
 * limits are exact and of twins the later one finds the answer of the first.
 */
export class SubmissionQueue {
  readonly #db: Database
  readonly #policy: QueuePolicy
  readonly #groups: Gathered<QueueRequest, Outcome>

  constructor(db: Database, policy: QueuePolicy) {
    this.#db = db
    this.#policy = policy
    this.#groups = new Gathered(
      (group, committing) => this.#enqueue(group, committing),
      ({ run }) => run.input.content.length,
    )
  }

  /**
   * Queues the run, or gives the answer that its key was given before. Throws 409 `idempotency_conflict` or
   * `storage_quota_exceeded`, 429 `sandbox_queued_run_limit` or `queue_full`.
   */
  async enqueue(request: QueueRequest): Promise<Rendered<RunDetail>> {
    const outcome = await this.#groups.find(request)
    if (!outcome) throw new Error('a submission is without an outcome')
    if ('refused' in outcome) throw outcome.refused
    return outcome.answer
  }

  async #enqueue(group: readonly QueueRequest[], committing?: () => void): Promise<Outcome[]> {
    try {
      return await pipelined(this.#db, enqueueGroup(this.#policy, group, committing))
    } catch (error) {
      if (group.length === 1 || isDatabaseAway(error)) throw error
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
): Halves<[OpenQueue, Map<string, GivenAnswer>], Outcome[]> => ({
  read: (trx) => {
    const runs = group.map(({ run }) => run)
    const scopes = group.map(({ intent }) => intent.scope)
    return allEnded([OpenQueue.open(trx, policy, runs), findAnswers(trx, scopes)])
  },
  write: async (trx, [queue, answers]) => {
    const rows: QueuedRun[] = []
    const fresh: AnsweredRun[] = []
    const outcomes = group.map(({ intent, run }) =>
      outcomeOf(() => {
        const scope = scopeText(intent.scope)
        const earlier = answers.get(scope)
        if (earlier) return new Rendered(answerIn<RunDetail>(earlier, intent))
        const { row, shown } = queue.place(run)
        rows.push(row)
        fresh.push({ intent, runId: row.id, beside: besideItsRow(shown) })
        answers.set(scope, { request_hash: intent.requestHash, response: shown, run: null })
        return new Rendered(shown)
      }),
    )
    if (rows.length > 0) await insertRuns(trx, rows, answerColumns(fresh))
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
