import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import type { Database, Trx } from '../db/database.ts'
import { supersedeOlder } from '../environments/supersede-older.ts'
import type { VersionResult } from '../environments/version-moves.ts'
import { trackFindings } from '../findings/track-findings.ts'
import {
  type AttemptColumns,
  type AttemptRow,
  advance,
  type Claimed,
  finishAttempt,
  type WriteOutcome,
} from './attempt-store.ts'
import { BuildFailed } from './build-failed.ts'
import { noteCachedImage } from './cache/build-cache-store.ts'
import { policyRevisionOf } from './provenance/composition.ts'
import { beginStage } from './stage-store.ts'
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

/**
 * How far attempt and version are. A chain that is run again after a restart passes its first steps a second time;
 * states only ever go forward, so what was reached before is not written again.
 */
export class ChainProgress {
  readonly #db: Database
  readonly #claim: Claimed & Pick<AttemptRow, 'company_id'>
  #attemptState: BuildAttemptState
  #versionState: EnvironmentVersionState

  constructor(
    db: Database,
    claim: Claimed & Pick<AttemptRow, 'company_id'>,
    states: { attemptState: BuildAttemptState; versionState: EnvironmentVersionState },
  ) {
    this.#db = db
    this.#claim = claim
    this.#attemptState = states.attemptState
    this.#versionState = states.versionState
  }

  /** Notes that `step` begins, with what is known so far. Throws `tenant_cancel` or `ClaimLost`. */
  async enter(step: BuildStep, findings: BuildFindings): Promise<void> {
    const attemptStates = step.attemptStates.filter((state) =>
      isAhead(attemptOrder, state, this.#attemptState),
    )
    const versionStates = step.versionStates.filter((state) =>
      isAhead(versionOrder, state, this.#versionState),
    )
    await this.#db.transaction().execute(async (trx) => {
      const { canonicalDigest } = findings
      await this.#write(trx, {
        stageCode: step.stage,
        ...(canonicalDigest !== undefined && { set: { canonical_digest: canonicalDigest } }),
      })
      await beginStage(trx, this.#claim, step.stage)
      for (const state of attemptStates) await this.#write(trx, { state })
      for (const to of versionStates) await this.#write(trx, { version: { to, set: resultOf(findings) } })
    })
    this.#attemptState = attemptStates.at(-1) ?? this.#attemptState
    this.#versionState = versionStates.at(-1) ?? this.#versionState
  }

  /** Notes what a step leaves, with the columns of the attempt that `work` answers. Throws as `enter` does. */
  async keep(work: (trx: Trx) => Promise<AttemptColumns>): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      await this.#write(trx, { set: await work(trx) })
    })
  }

  /** The version is ready, and what its scan found is what its environment shows from now on. */
  async complete({ order, findings }: Pick<Build, 'order' | 'findings'>): Promise<void> {
    const version = { to: 'ready', set: resultOf(findings) } as const
    await this.#end(async (trx) => {
      const outcome = await finishAttempt(trx, this.#claim, { state: 'completed', version })
      if (outcome === 'done') await supersedeOlder(trx, this.#claim.environment_version_id)
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
    await this.#end((trx) => finishAttempt(trx, this.#claim, ending))
  }

  async #write(trx: Trx, step: Parameters<typeof advance>[2]): Promise<void> {
    refuse(await advance(trx, this.#claim, step))
  }

  async #end(work: (trx: Trx) => Promise<WriteOutcome>): Promise<void> {
    refuse(await this.#db.transaction().execute(work))
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
