import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { QueryExecutorProvider } from 'kysely'
import type { Principal } from '../../access/principal.ts'
import { currentAudit } from '../../base/current-request.ts'
import { newId } from '../../base/ids.ts'
import type { StagedInput } from '../../base/json/staged-input.ts'
import { settleAll } from '../../base/settle-all.ts'
import { type Budget, budgetOf, type Charge, hold } from '../../billing/holds/hold.ts'
import { selectableRegions } from '../../companies/settings/company-policy.ts'
import { checkStorageQuota, type KeptRoom } from '../../companies/storage/storage-quota.ts'
import { lockQueues } from '../../db/company-lock.ts'
import type { LockedPart } from '../parts/run-part.ts'
import { checkQueueDepth, countedDepth, type QueuePolicy, queueBounds } from '../queue/queue-policy.ts'
import {
  type CapacityInUse,
  positionsReported,
  type QueueSnapshot,
  readQueueSnapshots,
} from '../queue/queue-store.ts'
import { waitOf } from '../queue/run-waits.ts'
import { renderRun } from '../read/render-run.ts'
import { asQueued, type QueuedRun } from './queued-run-store.ts'

/** A run that passed all checks except the bounds of the queue. */
export interface NewRun {
  principal: Principal
  chatroomId: string
  version: { id: string; task_id: string; environment_version_id: string }
  resourceProfile: string
  /** The share that grants the version to the room; null for quick runs. */
  shareGrantId: string | null
  input: StagedInput
  timeoutSeconds: number
  source: Exclude<RunDetail['submission_source'], ''>
  /** Empty when the run is not a retry. */
  retryOfRunId?: string
  /** The submitter, for the audit log; by default the one who acts now. */
  audit?: string
}

interface CompanyQueue {
  queued: number
  held: CapacityInUse
  policy: QueuePolicy
  room: KeptRoom
  /** Undefined until a run with a price is queued. */
  budget?: Budget
}

/** A run that has its place in the queue. */
export interface Enqueued {
  row: QueuedRun
  shown: RunDetail
  /** The amount that it reserves; undefined if runs have no price. */
  charge: Charge | undefined
}

/**
 * The queues of some companies, locked until the transaction ends. No other transaction queues a run there, so the counts
 * stay exact and the position of each run is known before it is stored.
 */
export class LockedQueues {
  readonly #policy: QueuePolicy
  readonly #companies: Map<string, CompanyQueue>
  readonly #kinds: Map<string, QueueSnapshot>
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
    this.#kinds = new Map(looks.map((look) => [kindOf(look.company_id, look.resource_profile), look]))
    const [first] = looks
    if (!first) throw new Error('a queue was opened for no run')
    this.#fleetQueued = first.fleet_queued
    this.#now = first.now
  }

  /** Sends all its statements before it waits for any. */
  static async open(
    trx: QueryExecutorProvider,
    policy: QueuePolicy,
    runs: readonly NewRun[],
  ): Promise<LockedQueues> {
    const companyIds = [...new Set(runs.map(({ principal }) => principal.companyId))]
    const [, looks] = await settleAll([
      // A bound over all companies is exact only if one transaction queues at a time.
      lockQueues(trx, companyIds, { fleet: policy.host !== null }),
      lookAt(trx, policy, runs),
    ])
    return new LockedQueues(policy, looks)
  }

  /** The queues as they are now, for an estimate: they are not locked, and nothing is stored. */
  static async look(db: QueryExecutorProvider, policy: QueuePolicy, run: NewRun): Promise<LockedQueues> {
    return new LockedQueues(policy, await lookAt(db, policy, [run]))
  }

  /**
   * Gives the run the next position and holds its price. Throws 409 `storage_quota_exceeded`, 429 `sandbox_queued_run_limit` or
   * `queue_full`, what `hold` throws, and what `requireFree` of its parts throws.
   */
  enqueue(run: NewRun, parts: readonly LockedPart[] = []): Enqueued {
    for (const part of parts) part.requireFree?.()
    const { companyId } = run.principal
    const company = this.#companies.get(companyId)
    const kind = this.#kinds.get(kindOf(companyId, run.resourceProfile))
    if (!company || !kind) throw new Error('the queue of another company was opened')
    checkQueueDepth(queueBounds(company.policy, run.source), {
      company: company.queued,
      fleet: this.#fleetQueued,
    })
    const inputBytes = parts.reduce((sum, { byteSize = 0 }) => sum + byteSize, run.input.content.length)
    checkStorageQuota(company.room, inputBytes)
    const row = rowOf(run, this.#now)
    const charge = holdFor(row, company, kind)
    company.room.keptBytes += inputBytes
    const ahead = this.#policy.deployment === 'hosted' ? company.queued : this.#fleetQueued
    company.queued += 1
    this.#fleetQueued += 1
    const wait = waitOf(this.#policy, {
      place: ahead < positionsReported ? ahead + 1 : null,
      ...company.held,
      resource_profile: run.resourceProfile,
      timeout_seconds: run.timeoutSeconds,
      mean_seconds: kind.mean_seconds,
      waits_for_session: parts.some(({ waits = false }) => waits),
    })
    return { row, shown: renderRun(row, wait), charge }
  }
}

function lookAt(
  db: QueryExecutorProvider,
  policy: QueuePolicy,
  runs: readonly NewRun[],
): Promise<QueueSnapshot[]> {
  const kinds = new Map(
    runs.map(({ principal: { companyId }, resourceProfile }) => [
      kindOf(companyId, resourceProfile),
      { companyId, resourceProfile },
    ]),
  )
  const most = runs.map(({ source }) => countedDepth(queueBounds(policy, source)))
  return readQueueSnapshots(db, {
    kinds: [...kinds.values()],
    most: {
      company: Math.max(positionsReported, ...most.map(({ company }) => company)),
      fleet: Math.max(...most.map(({ fleet }) => fleet)),
    },
    durations: policy.deployment === 'onprem',
    regions: selectableRegions(policy.deployment),
  })
}

function holdFor(row: QueuedRun, company: CompanyQueue, kind: QueueSnapshot): Charge | undefined {
  if (kind.price_list_id === null) return undefined
  company.budget ??= budgetOf(kind)
  return hold(kind, company.budget, {
    subjectId: row.id,
    companyId: row.company_id,
    kind: 'run',
    timeoutSeconds: row.timeout_seconds,
    hasTraffic: true,
  })
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
  audit: (run.audit ?? currentAudit()) || submittedBy(principal, run.source),
  queued_at: queuedAt,
  ...asQueued,
})

/** Where no request submits: the person for whom the service does. */
const submittedBy = ({ principalType, principalId }: Principal, source: NewRun['source']): string =>
  JSON.stringify({ action: source, actor_type: principalType, actor_id: principalId })
