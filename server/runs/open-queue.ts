import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { allEnded } from '../base/all-ended.ts'
import { newId } from '../base/ids.ts'
import type { Sending } from '../db/database.ts'
import type { Principal } from '../platform/principal.ts'
import { checkRoom, type KeptRoom } from '../settings/storage-quota.ts'
import { checkQueueDepth, countedDepth, type QueuePolicy, queueBounds } from './queue-policy.ts'
import { type HeldPlaces, lockQueues, lookAtQueues, placesTold, type QueueLook } from './queue-store.ts'
import { renderRun } from './render-run.ts'
import type { StagedInput } from './run-input.ts'
import { asQueued, type QueuedRun } from './run-store.ts'
import { waitOf } from './run-waits.ts'

/** A run that everything was decided about but whether the queue has a place for it. */
export interface NewRun {
  principal: Principal
  chatroomId: string
  version: { id: string; task_id: string; environment_version_id: string }
  resourceProfile: string
  /** What lent the version to the room; null for the room's own quick runs. */
  shareGrantId: string | null
  input: StagedInput
  timeoutSeconds: number
  source: Exclude<RunDetail['submission_source'], ''>
  /** Empty when the run is not a retry. */
  retryOfRunId?: string
}

interface CompanyQueue {
  queued: number
  held: HeldPlaces
  policy: QueuePolicy
  room: KeptRoom
}

/**
 * The queues of some companies, held until the transaction ends: nobody else queues a run there meanwhile, so what is
 * counted stays true and every run learns its place before it is stored.
 */
export class OpenQueue {
  readonly #policy: QueuePolicy
  readonly #companies: Map<string, CompanyQueue>
  readonly #meanSeconds: Map<string, number | null>
  readonly #now: Date
  #fleetQueued: number

  private constructor(policy: QueuePolicy, looks: readonly QueueLook[]) {
    this.#policy = policy
    this.#companies = new Map(
      looks.map((look) => [
        look.company_id,
        {
          queued: look.company_queued,
          held: look,
          policy: { ...policy, companyQueued: look.queued_run_limit ?? policy.companyQueued },
          room: { keptBytes: look.kept_bytes, limitBytes: look.kept_bytes_limit },
        },
      ]),
    )
    this.#meanSeconds = new Map(
      looks.map((look) => [kindOf(look.company_id, look.resource_profile), look.mean_seconds]),
    )
    const [first] = looks
    if (!first) throw new Error('a queue was opened for no run')
    this.#fleetQueued = first.fleet_queued
    this.#now = first.now
  }

  /** Sends all its statements before it waits for any. */
  static async open(trx: Sending, policy: QueuePolicy, runs: readonly NewRun[]): Promise<OpenQueue> {
    const companyIds = [...new Set(runs.map(({ principal }) => principal.companyId))]
    const kinds = new Map(
      runs.map(({ principal: { companyId }, resourceProfile }) => [
        kindOf(companyId, resourceProfile),
        { companyId, resourceProfile },
      ]),
    )
    const most = runs.map(({ source }) => countedDepth(queueBounds(policy, source)))
    const [, looks] = await allEnded([
      // A bound of the whole fleet is exact only when one queues at a time.
      lockQueues(trx, policy.host ? 'fleet' : companyIds),
      lookAtQueues(trx, {
        kinds: [...kinds.values()],
        most: {
          company: Math.max(placesTold, ...most.map(({ company }) => company)),
          fleet: Math.max(...most.map(({ fleet }) => fleet)),
        },
        durations: policy.deployment === 'onprem',
      }),
    ])
    return new OpenQueue(policy, looks)
  }

  /** Gives the run the next place. Throws 409 `storage_quota_exceeded`, 429 `sandbox_queued_run_limit` or `queue_full`. */
  place(run: NewRun): { row: QueuedRun; shown: RunDetail } {
    const { companyId } = run.principal
    const company = this.#companies.get(companyId)
    if (!company) throw new Error('the queue of another company was opened')
    checkQueueDepth(queueBounds(company.policy, run.source), {
      company: company.queued,
      fleet: this.#fleetQueued,
    })
    const inputBytes = run.input.content.length
    checkRoom(company.room, inputBytes)
    company.room.keptBytes += inputBytes
    const row = rowOf(run, this.#now)
    const ahead = this.#policy.deployment === 'hosted' ? company.queued : this.#fleetQueued
    company.queued += 1
    this.#fleetQueued += 1
    const wait = waitOf(this.#policy, {
      place: ahead < placesTold ? ahead + 1 : null,
      ...company.held,
      resource_profile: run.resourceProfile,
      timeout_seconds: run.timeoutSeconds,
      mean_seconds: this.#meanSeconds.get(kindOf(companyId, run.resourceProfile)) ?? null,
    })
    return { row, shown: renderRun(row, wait) }
  }
}

const kindOf = (companyId: string, resourceProfile: string): string => `${companyId}:${resourceProfile}`

const rowOf = ({ principal, version, ...run }: NewRun, queuedAt: Date): QueuedRun => ({
  id: newId('run'),
  company_id: principal.companyId,
  chatroom_id: run.chatroomId,
  task_id: version.task_id,
  task_version_id: version.id,
  environment_version_id: version.environment_version_id,
  share_grant_id: run.shareGrantId,
  resource_profile: run.resourceProfile,
  principal_type: principal.principalType,
  principal_id: principal.principalId,
  auth_method: principal.authMethod,
  api_key_id: principal.apiKey?.id ?? null,
  submission_source: run.source,
  timeout_seconds: run.timeoutSeconds,
  input: run.input.content,
  input_digest: run.input.digest,
  retry_of_run_id: run.retryOfRunId ?? '',
  queued_at: queuedAt,
  ...asQueued,
})
