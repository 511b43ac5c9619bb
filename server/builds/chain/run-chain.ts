import { ExecutorRefused } from '../../../agent/port/errors.ts'
import { noCapacity } from '../../../agent/port/refusal-causes.ts'
import type { Database } from '../../db/database.ts'
import type { ChainStage } from '../../environments/versions/build-stages.ts'
import { ClaimLost } from '../../work/lease.ts'
import { WorkerStopping } from '../../work/retry.ts'
import { type AttemptRow, lockClaim } from '../attempts/claims/claimed-attempt-store.ts'
import type { Build, BuildTools, FailedBuild } from '../request/build.ts'
import { BuildFailed } from '../request/build-failed.ts'
import { readBuildRequest } from '../request/build-request-store.ts'
import { removeBuildSandboxes, storeUnfinishedLog } from '../sandboxes/build-sandboxes.ts'
import type { RunStep } from '../steps/step.ts'
import { type BuildOutputs, buildChain } from './build-chain.ts'
import { tracedStep } from './build-trace.ts'
import { ChainProgress } from './chain-progress.ts'

/** Whether this worker no longer has the attempt. It stays as it is, for another worker. */
export const isClaimGone = (error: unknown): boolean =>
  error instanceof ClaimLost || error instanceof WorkerStopping

/** Runs the chain once. Throws the error of an outage; the chain can then be retried. */
export async function runChain(
  db: Database,
  tools: BuildTools,
  attempt: AttemptRow,
  signal: AbortSignal,
): Promise<void> {
  const known: Partial<BuildOutputs> = {}
  let progress: ChainProgress | undefined
  try {
    const { request, ...states } = await readBuildRequest(db, attempt)
    const chain = new ChainProgress(db, attempt, states)
    progress = chain
    const build: Build = { request, tools, db, write: (work) => chain.write(work), signal }
    const outputs = await buildChain.run({}, stepRunner(build, chain, known))
    await chain.complete(request, outputs)
    await removeBuildSandboxes(build)
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : asFailure(error)
    if (!(cause instanceof BuildFailed)) throw cause
    await failBuild(db, tools, attempt, { failure: cause, known, progress })
  } finally {
    await progress?.close()
  }
}

/** Runs steps one by one, and collects their values in `known`. The first step of a stage enters the stage. */
function stepRunner(build: Build, progress: ChainProgress, known: Partial<BuildOutputs>): RunStep {
  let entered: ChainStage | undefined
  return async (step, values) => {
    build.signal.throwIfAborted()
    if (step.stage !== entered) progress.enter(step.stage, known)
    entered = step.stage
    const made = await tracedStep(build.request.attemptId, step, () => step.run(build, values))
    Object.assign(known, made)
    return made
  }
}

/** A permanent refusal of the executor ends the build. If the host is full or unavailable, the chain is retried. */
const asFailure = (error: unknown): unknown =>
  error instanceof ExecutorRefused && error.slug !== noCapacity
    ? new BuildFailed('identity_config', error.slug)
    : error

/**
 * Ends the attempt with a failure. First removes its sandboxes and undoes its steps in reverse order, so that a terminal
 * attempt has no residue. `known` has the values of the steps that ran in this worker.
 */
export async function failBuild(
  db: Database,
  tools: BuildTools,
  attempt: AttemptRow,
  end: { failure: BuildFailed; known?: Partial<BuildOutputs>; progress?: ChainProgress | undefined },
): Promise<void> {
  const { request, ...states } = await readBuildRequest(db, attempt)
  const { failure, known = {}, progress = new ChainProgress(db, attempt, states) } = end
  // A delayed write of a stage would be a transaction that is open while the host removes the image.
  await progress.close()
  if (failure.code === 'tenant_cancel') await storeUnfinishedLog({ request, tools, db })
  await removeBuildSandboxes({ request, tools })
  const whileClaimed: FailedBuild['whileClaimed'] = (work) =>
    db.transaction().execute(async (trx) => {
      if ((await lockClaim(trx, attempt)) === 'lost') throw new ClaimLost()
      await work()
    })
  await whileClaimed(async () => undefined)
  const failed: FailedBuild = { request, tools, db, failure, whileClaimed }
  for (const step of buildChain.steps.toReversed()) await step.undo?.(failed, known as never)
  await progress.fail(failure)
}
