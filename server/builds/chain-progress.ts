import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import type { Database, Trx } from '../db/database.ts'
import type { ChainStage } from '../environments/build-stages.ts'
import { supersedeOlder } from '../environments/supersede-older.ts'
import type { VersionResult } from '../environments/version-moves.ts'
import { trackFindings } from '../findings/track-findings.ts'
import {
  type AttemptColumns,
  type AttemptProgress,
  advance,
  type Claimed,
  finishAttempt,
  type WriteOutcome,
} from './attempt-store.ts'
import { BuildFailed } from './build-failed.ts'
import { noteCachedImage } from './cache/build-cache-store.ts'
import { policyRevisionOf } from './provenance/composition.ts'
import type { Build, BuildFindings, BuildStep } from './steps/step.ts'

/** The claim went to another worker, or the attempt has ended: nothing more is to be done for it here. */
export class ClaimLost extends Error {
  override name = 'ClaimLost'
}

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

/** Stages that are over sooner than this are told by the write of a later one. */
const tellAfterMs = 250

/** Writes what a step leaves, and answers the columns of the attempt that lead there. */
export type Keeping = (trx: Trx) => Promise<AttemptColumns>

/** A step whose beginning is not written yet. */
interface Entered {
  stage: ChainStage
  at: number
  states: BuildAttemptState[]
  versionStates: EnvironmentVersionState[]
  result: VersionResult
  canonicalDigest: string | undefined
}

/**
 * How far attempt and version are. A chain that is run again after a restart passes its first steps a second time;
 * states only ever go forward, so what was reached before is not written again.
 *
 * A step costs a write only when somebody could see it at work: what was entered since the last write is told together,
 * soon after, or with what is written next. A worker that dies in between leaves the attempt a little further back.
 */
export class ChainProgress {
  readonly #db: Database
  readonly #claim: Claimed
  #attemptState: BuildAttemptState
  #versionState: EnvironmentVersionState
  #untold: Entered[] = []
  #kept: Keeping[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<unknown> = Promise.resolve()
  /** Why what was entered could not be told. */
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
   * Notes that `step` begins, with what is known so far. Throws `tenant_cancel` or `ClaimLost`, here or when it is told: then
   * the next call throws it.
   */
  enter(step: BuildStep, findings: BuildFindings): void {
    this.#throwFailure()
    const states = step.attemptStates.filter((state) => isAhead(attemptOrder, state, this.#attemptState))
    const versionStates = step.versionStates.filter((state) =>
      isAhead(versionOrder, state, this.#versionState),
    )
    this.#untold.push({
      stage: step.stage,
      at: performance.now(),
      states,
      versionStates,
      result: resultOf(findings),
      canonicalDigest: findings.canonicalDigest,
    })
    this.#attemptState = states.at(-1) ?? this.#attemptState
    this.#versionState = versionStates.at(-1) ?? this.#versionState
    this.#timer ??= setTimeout(() => {
      this.tell().catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error(String(error))
      })
    }, tellAfterMs)
  }

  /** Writes what was entered and kept so far. Throws as `enter` does. */
  tell(): Promise<void> {
    return this.#write((trx, told) => advance(trx, this.#claim, told))
  }

  /** What a step leaves is written when the step is told. Throws as `enter` does. */
  keep(work: Keeping): void {
    this.#throwFailure()
    this.#kept.push(work)
  }

  /** The version is ready, and what its scan found is what its environment shows from now on. */
  async complete({ order, findings }: Pick<Build, 'order' | 'findings'>): Promise<void> {
    this.#throwFailure()
    const version = { to: 'ready', set: resultOf(findings) } as const
    await this.#write(async (trx, told) => {
      const outcome = await finishAttempt(trx, this.#claim, { state: 'completed', version }, told)
      if (outcome === 'done')
        await supersedeOlder(trx, {
          id: this.#claim.environment_version_id,
          company_id: this.#claim.company_id,
        })
      if (outcome === 'done' && findings.scan) await trackFindings(trx, order, findings.scan)
      if (outcome === 'done' && findings.cacheEntry) {
        const { companyId, versionId } = order
        await noteCachedImage(trx, { companyId, versionId, key: findings.cacheEntry.key })
      }
      return outcome
    })
  }

  async fail(failure: BuildFailed): Promise<void> {
    const { code: errorCode, detail: errorDetail, instruction, terminalClass: state } = failure
    const ending = { state, errorCode, errorDetail, instruction }
    await this.#write((trx, told) => finishAttempt(trx, this.#claim, ending, told))
  }

  /** Writes nothing any more; for a chain that is given up, or begun again. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure
  }

  /** Has `tell` write what was entered and kept before, in one transaction; one after another. */
  #write(tell: (trx: Trx, told: AttemptProgress) => Promise<WriteOutcome>): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const write = this.#writing.then(() => {
      const told = progressOf(this.#untold.splice(0), this.#kept.splice(0))
      return this.#db.transaction().execute(async (trx) => refuse(await tell(trx, told)))
    })
    this.#writing = write.catch(() => undefined)
    return write
  }
}

/** What was entered and kept, as one step forward. */
function progressOf(untold: readonly Entered[], kept: readonly Keeping[]): AttemptProgress {
  const last = untold.at(-1)
  const versionStates = untold.flatMap((entered) => entered.versionStates)
  const to = versionStates.pop()
  return {
    stages: untold.map(({ stage, at }) => ({ stage, agoMs: performance.now() - at })),
    states: untold.flatMap(({ states }) => states),
    ...(last?.canonicalDigest !== undefined && { set: { canonical_digest: last.canonicalDigest } }),
    ...(last && to !== undefined && { version: { to, through: versionStates, set: last.result } }),
    leave: async (trx) => {
      const columns: AttemptColumns = {}
      for (const work of kept) Object.assign(columns, await work(trx))
      return columns
    },
  }
}

const isAhead = <State>(order: State[], state: State, reached: State): boolean =>
  order.indexOf(state) > order.indexOf(reached)

function refuse(outcome: WriteOutcome): void {
  if (outcome === 'cancel_requested') throw new BuildFailed('tenant_cancel')
  if (outcome === 'lost') throw new ClaimLost()
}

function resultOf(findings: BuildFindings): VersionResult {
  const { layer, imageConfig, unpackedBytes, promotedDigest, composedDigest, runner, runnerRelease } =
    findings
  return {
    ...(layer && { layer_digest: layer.diffId, compressed_bytes: layer.byteSize }),
    ...(imageConfig && { image_config: imageConfig }),
    ...(unpackedBytes !== undefined && { unpacked_bytes: unpackedBytes }),
    ...(composedDigest !== undefined && { composed_execution_digest: composedDigest }),
    ...(runner && { policy_revision: policyRevisionOf(runner) }),
    ...(runnerRelease !== undefined && { runner_release: runnerRelease }),
    ...(promotedDigest !== undefined && { promoted_digest: promotedDigest, verified_at: new Date() }),
  }
}
