import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { ChainStage } from '../../environments/versions/build-stages.ts'
import { supersedeOlder, type VersionResult } from '../../environments/versions/version-transitions.ts'
import { trackFindings } from '../../findings/track-findings.ts'
import { installedDigest, storedBytesOf } from '../../images/image-documents.ts'
import { policyRevisionOf } from '../../images/provenance/statement.ts'
import { ClaimLost } from '../../work/lease.ts'
import { finishAttempt } from '../attempts/claims/attempt-end-store.ts'
import {
  type AttemptColumns,
  type AttemptProgress,
  advance,
} from '../attempts/claims/attempt-progress-store.ts'
import type { Claimed, WriteOutcome } from '../attempts/claims/claimed-attempt-store.ts'
import { recordCachedImage } from '../cache/build-cache-store.ts'
import type { StepWrite } from '../request/build.ts'
import { BuildFailed } from '../request/build-failed.ts'
import type { BuildRequest } from '../request/build-request.ts'
import type { BuildOutputs } from './build-chain.ts'
import { stageDuration } from './build-metrics.ts'
import { reportBuildEnd } from './build-trace.ts'

const attemptOrder: BuildAttemptState[] = [
  'validation_queued',
  'validating',
  'build_queued',
  'building',
  'verifying',
]
const versionOrder: EnvironmentVersionState[] = [
  'build_queued',
  'building',
  'quarantined',
  'verifying',
  'verified',
  'regional_provisioning',
]

interface StageStates {
  attempt: readonly BuildAttemptState[]
  version: readonly EnvironmentVersionState[]
}

/** States that attempt and version pass through, in order, when a stage starts. */
const stageStates: Partial<Record<ChainStage, StageStates>> = {
  context_validator: { attempt: ['validating'], version: [] },
  customer_build: { attempt: ['build_queued', 'building'], version: ['building'] },
  static_scan: { attempt: ['verifying'], version: ['quarantined', 'verifying'] },
  regional_readback: { attempt: [], version: ['verified', 'regional_provisioning'] },
}

/** A stage that ends sooner is written together with a later one. */
const writeAfterMs = 250

/** A stage whose start is not written to the database yet. */
interface UnwrittenStage {
  stage: ChainStage
  at: number
  states: BuildAttemptState[]
  versionStates: EnvironmentVersionState[]
  result: VersionResult
  canonicalDigest: string | undefined
}

/**
 * Tracks the states of attempt and version, and writes them. A chain that runs again after a restart passes its first
 * stages a second time. States only go forward, so states that were reached before are not written again.
 *
 * Stages that were entered since the last write are written together, after `writeAfterMs` or with the next write, so a
 * short stage costs no write of its own. If the worker dies in between, the attempt shows an earlier stage.
 */
export class ChainProgress {
  readonly #db: Database
  readonly #claim: Claimed
  #attemptState: BuildAttemptState
  #versionState: EnvironmentVersionState
  #unwritten: UnwrittenStage[] = []
  #writes: StepWrite[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<unknown> = Promise.resolve()
  /** Ends the time of the current stage. */
  #leave: ((labels: { outcome: string }) => void) | undefined
  /** The error of a delayed write. */
  #failure: Error | undefined

  constructor(
    db: Database,
    claim: Claimed,
    states: { attemptState: BuildAttemptState; versionState: EnvironmentVersionState },
  ) {
    this.#db = db
    this.#claim = claim
    this.#attemptState = states.attemptState
    this.#versionState = states.versionState
  }

  /**
   * Records that `stage` starts, with the values known so far. Throws `tenant_cancel` or `ClaimLost`. If the delayed write
   * fails, the next call throws its error.
   */
  enter(stage: ChainStage, known: Partial<BuildOutputs>): void {
    this.#throwFailure()
    this.#leave?.({ outcome: 'completed' })
    this.#leave = stageDuration.startTimer({ stage })
    const { attempt, version } = stageStates[stage] ?? { attempt: [], version: [] }
    const states = attempt.filter((state) => isAhead(attemptOrder, state, this.#attemptState))
    const versionStates = version.filter((state) => isAhead(versionOrder, state, this.#versionState))
    this.#unwritten.push({
      stage,
      at: performance.now(),
      states,
      versionStates,
      result: resultOf(known),
      canonicalDigest: known.canonicalDigest,
    })
    this.#attemptState = states.at(-1) ?? this.#attemptState
    this.#versionState = versionStates.at(-1) ?? this.#versionState
    this.#timer ??= setTimeout(() => {
      this.flush().catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error(String(error))
      })
    }, writeAfterMs)
  }

  /** Writes what was collected so far. Throws as `enter` does. */
  flush(): Promise<void> {
    return this.#commit((trx, progress) => advance(trx, this.#claim, progress))
  }

  /** Writes the rows of a step together with the next stage. Throws as `enter` does. */
  write(work: StepWrite): void {
    this.#throwFailure()
    this.#writes.push(work)
  }

  /** Makes the version ready, and its scan the current findings of the environment. */
  async complete(request: BuildRequest, outputs: BuildOutputs): Promise<void> {
    this.#throwFailure()
    const { companyId, versionId } = request
    const version = { to: 'ready', set: resultOf(outputs) } as const
    await this.#commit(async (trx, progress) => {
      const outcome = await finishAttempt(trx, this.#claim, { state: 'completed', version }, progress)
      if (outcome !== 'done') return outcome
      await supersedeOlder(trx, { id: versionId, company_id: companyId })
      await trackFindings(trx, request, outputs.scan)
      const { imageKey, networkSince } = outputs
      if (imageKey) await recordCachedImage(trx, { companyId, versionId, key: imageKey.key, networkSince })
      return outcome
    })
    this.#leave?.({ outcome: 'completed' })
    reportBuildEnd(this.#claim, { state: 'completed', error: '' })
  }

  async fail(failure: BuildFailed): Promise<void> {
    const { code: errorCode, detail: errorDetail, instruction, terminalClass: state } = failure
    const ending = { state, errorCode, errorDetail, instruction }
    await this.#commit((trx, progress) => finishAttempt(trx, this.#claim, ending, progress))
    this.#leave?.({ outcome: state })
    reportBuildEnd(this.#claim, { state, error: errorCode })
  }

  /** Stops the delayed writes and waits for the one in progress. The chain has failed, is abandoned or starts again. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure
  }

  /** Runs `work` with the collected progress in one transaction. Commits are serialized. */
  #commit(work: (trx: Trx, progress: AttemptProgress) => Promise<WriteOutcome>): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const write = this.#writing.then(() => {
      const progress = progressOf(this.#unwritten.splice(0), this.#writes.splice(0))
      return this.#db.transaction().execute(async (trx) => requireDone(await work(trx, progress)))
    })
    this.#writing = write.catch(() => undefined)
    return write
  }
}

/** Joins the collected stages and writes. */
function progressOf(entered: readonly UnwrittenStage[], writes: readonly StepWrite[]): AttemptProgress {
  const last = entered.at(-1)
  const versionStates = entered.flatMap((each) => each.versionStates)
  const to = versionStates.pop()
  return {
    stages: entered.map(({ stage, at }) => ({ stage, agoMs: performance.now() - at })),
    states: entered.flatMap(({ states }) => states),
    ...(last?.canonicalDigest !== undefined && { set: { canonical_digest: last.canonicalDigest } }),
    ...(last && to !== undefined && { version: { to, through: versionStates, set: last.result } }),
    write: async (trx) => {
      const columns: AttemptColumns = {}
      for (const work of writes) Object.assign(columns, await work(trx))
      return columns
    },
  }
}

const isAhead = <State>(order: State[], state: State, reached: State): boolean =>
  order.indexOf(state) > order.indexOf(reached)

function requireDone(outcome: WriteOutcome): void {
  if (outcome === 'cancel_requested') throw new BuildFailed('tenant_cancel')
  if (outcome === 'lost') throw new ClaimLost()
}

function resultOf(known: Partial<BuildOutputs>): VersionResult {
  const { layers, imageConfig, unpackedBytes, promotedDigest, composedDigest, runner, runnerRelease } = known
  return {
    ...(layers && { layer_digest: installedDigest(layers), compressed_bytes: storedBytesOf(layers) }),
    ...(imageConfig && { image_config: imageConfig }),
    ...(unpackedBytes !== undefined && { unpacked_bytes: unpackedBytes }),
    ...(composedDigest !== undefined && { composed_execution_digest: composedDigest }),
    ...(runner && { policy_revision: policyRevisionOf(runner) }),
    ...(runnerRelease !== undefined && { runner_release: runnerRelease }),
    ...(promotedDigest !== undefined && { promoted_digest: promotedDigest, verified_at: new Date() }),
  }
}
