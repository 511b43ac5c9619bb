import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { Principal } from '../../access/principal.ts'
import { newId } from '../../base/ids.ts'
import type { StagedInput } from '../../base/json/staged-input.ts'
import { settleAll } from '../../base/sharing/settle-all.ts'
import { checkStorageQuota, type KeptRoom } from '../../companies/storage/storage-quota.ts'
import type { Queryable } from '../../db/database.ts'
import { checkQueueDepth, countedDepth, type QueuePolicy, queueBounds } from '../queue/queue-policy.ts'
import {
  type CapacityInUse,
  lockQueues,
  positionsReported,
  type QueueSnapshot,
  readQueueSnapshots,
} from '../queue/queue-store.ts'
import { waitOf } from '../queue/run-waits.ts'
import { renderRun } from '../read/render-run.ts'
import { asQueued, type QueuedRun } from '../run-store.ts'

/** A run that passed all checks except the bounds of the queue. */
export interface NewRun {
  principal: Principal
  chatroomId: string
  version: { id: string; task_id: string; environment_version_id: string }
  resourceProfile: string
  /** The share that grants the version to the room; null for quick runs. */
  shareGrantId: string | null
  input: StagedInput
  /** Bytes that are stored with the input. */
  extraBytes?: number
  timeoutSeconds: number
  source: Exclude<RunDetail['submission_source'], ''>
  /** Empty when the run is not a retry. */
  retryOfRunId?: string
}

interface CompanyQueue {
  queued: number
  held: CapacityInUse
  policy: QueuePolicy
  room: KeptRoom
}

/**
 * The queues of some companies, locked until the transaction ends. No other transaction queues a run there, so the counts
 * stay exact and the position of each run is known before it is stored.
 */
export class LockedQueues {
  readonly #policy: QueuePolicy
  readonly #companies: Map<string, CompanyQueue>
  readonly #meanSeconds: Map<string, number | null>
  readonly #now: Date
  #fleetQueued: number

  private constructor(policy: QueuePolicy, looks: readonly QueueSnapshot[]) {
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
  static async open(trx: Queryable, policy: QueuePolicy, runs: readonly NewRun[]): Promise<LockedQueues> {
    const companyIds = [...new Set(runs.map(({ principal }) => principal.companyId))]
    const kinds = new Map(
      runs.map(({ principal: { companyId }, resourceProfile }) => [
        kindOf(companyId, resourceProfile),
        { companyId, resourceProfile },
      ]),
    )
    const most = runs.map(({ source }) => countedDepth(queueBounds(policy, source)))
    const [, looks] = await settleAll([
      // A bound over all companies is exact only if one transaction queues at a time.
      lockQueues(trx, policy.host ? 'fleet' : companyIds),
      readQueueSnapshots(trx, {
        kinds: [...kinds.values()],
        most: {
          company: Math.max(positionsReported, ...most.map(({ company }) => company)),
          fleet: Math.max(...most.map(({ fleet }) => fleet)),
        },
        durations: policy.deployment === 'onprem',
      }),
    ])
    return new LockedQueues(policy, looks)
  }

  /** Gives the run the next position. Throws 409 `storage_quota_exceeded`, 429 `sandbox_queued_run_limit` or `queue_full`. */
  enqueue(run: NewRun): { row: QueuedRun; shown: RunDetail } {
    const { companyId } = run.principal
    const company = this.#companies.get(companyId)
    if (!company) throw new Error('the queue of another company was opened')
    checkQueueDepth(queueBounds(company.policy, run.source), {
      company: company.queued,
      fleet: this.#fleetQueued,
    })
    const inputBytes = run.input.content.length + (run.extraBytes ?? 0)
    checkStorageQuota(company.room, inputBytes)
    company.room.keptBytes += inputBytes
    const row = rowOf(run, this.#now)
    const ahead = this.#policy.deployment === 'hosted' ? company.queued : this.#fleetQueued
    company.queued += 1
    this.#fleetQueued += 1
    const wait = waitOf(this.#policy, {
      place: ahead < positionsReported ? ahead + 1 : null,
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
