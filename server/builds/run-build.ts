import { sleep } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import { ExecutorRefused, noCapacity } from '../executor/port.ts'
import { type AttemptRow, holdClaim, renewLease } from './attempt-store.ts'
import { BuildFailed } from './build-failed.ts'
import { readOrder } from './build-order-store.ts'
import { forgetCachedImage } from './cache/build-cache-store.ts'
import { buildChain } from './chain.ts'
import { ChainProgress, ClaimLost } from './chain-progress.ts'
import { dropHostImage } from './drop-host-image.ts'
import { deleteLayout } from './oci-layout.ts'
import { keepBuildLog, removeBuildSandboxes } from './steps/customer-build.ts'
import type { Build, BuildFindings, BuildTools } from './steps/step.ts'

export const buildLeaseMs = 30_000
const heartbeatMs = 1000
/** An outage of the executor, the storage or the database shorter than this is waited out. */
const maxTries = 60
const lastPauseMs = 10_000

/** The worker is going away; the attempt stays as it is, for the next one. */
class Detached extends Error {}

/**
 * Carries a claimed attempt to its end. The chain is run from its start each time: every step is idempotent, and
 * what a former worker began (the sandbox above all) is found again and not begun twice.
 */
export async function runBuild(
  db: Database,
  tools: BuildTools,
  attempt: AttemptRow,
  detach: AbortSignal,
): Promise<void> {
  const ending = new AbortController()
  const onDetach = () => ending.abort(new Detached())
  detach.addEventListener('abort', onDetach, { once: true })
  const heart = keepClaim(db, attempt, ending)
  try {
    for (let failures = 1; ; failures += 1) {
      const outcome = await tryChain(db, tools, attempt, ending.signal)
      if (outcome === 'ended') return
      tools.log.warn({ attempt: attempt.id, failures, error: String(outcome) }, 'build will be tried again')
      if (failures >= maxTries) {
        await fail(db, tools, attempt, {
          failure: new BuildFailed('platform_failed', 'platform_unavailable'),
        })
        return
      }
      await sleep(Math.min(200 * 2 ** failures, lastPauseMs), ending.signal)
    }
  } finally {
    detach.removeEventListener('abort', onDetach)
    ending.abort(new Detached())
    await heart
  }
}

/** Runs the chain once. Answers `ended`, or the error of an outage after which it may be tried again. */
async function tryChain(
  db: Database,
  tools: BuildTools,
  attempt: AttemptRow,
  signal: AbortSignal,
): Promise<'ended' | Error> {
  const findings: BuildFindings = {}
  let progress: ChainProgress | undefined
  try {
    const { order, ...states } = await readOrder(db, attempt)
    const chain = new ChainProgress(db, attempt, states)
    progress = chain
    const build: Build = { order, findings, tools, db, keep: (work) => chain.keep(work), signal }
    for (const step of buildChain) {
      signal.throwIfAborted()
      chain.enter(step, build.findings)
      await step.run(build)
    }
    await chain.complete(build)
    await removeBuildSandboxes(build)
    return 'ended'
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : asFailure(error)
    if (cause instanceof ClaimLost || cause instanceof Detached) return 'ended'
    if (!(cause instanceof BuildFailed)) return cause instanceof Error ? cause : new Error(String(cause))
    return await fail(db, tools, attempt, { failure: cause, findings, progress }).then(
      () => 'ended' as const,
      (failure: unknown) =>
        failure instanceof ClaimLost ? 'ended' : new Error('cannot end build', { cause: failure }),
    )
  } finally {
    await progress?.close()
  }
}

/** What the executor will never do as it is set up ends the build; a host that is full or away is waited for. */
const asFailure = (error: unknown): unknown =>
  error instanceof ExecutorRefused && error.slug !== noCapacity
    ? new BuildFailed('identity_config', error.slug)
    : error

/**
 * Ends the attempt badly: its sandboxes and its image first, so that an attempt that has ended leaves none behind. An image
 * that was taken from another version and did not pass is not taken again.
 */
async function fail(
  db: Database,
  tools: BuildTools,
  attempt: AttemptRow,
  {
    failure,
    findings = {},
    progress,
  }: { failure: BuildFailed; findings?: BuildFindings; progress?: ChainProgress | undefined },
): Promise<void> {
  const { order, ...states } = await readOrder(db, attempt)
  const { layer, reused } = findings
  if (failure.code === 'tenant_cancel') await keepBuildLog({ order, tools, db })
  await removeBuildSandboxes({ order, tools })
  // What another worker has stored meanwhile is not this one's to take away.
  const whileClaimed = (work: () => Promise<void>) =>
    db.transaction().execute(async (trx) => {
      if ((await holdClaim(trx, attempt)) === 'lost') throw new ClaimLost()
      await work()
    })
  await whileClaimed(async () => undefined)
  await dropHostImage(db, tools, { versionId: order.versionId, layerDigest: layer?.diffId })
  await whileClaimed(() => deleteLayout(tools.storage, order.versionId))
  if (reused && failure.code !== 'tenant_cancel') {
    await forgetCachedImage(db, { companyId: order.companyId, versionId: reused.versionId })
  }
  await (progress ?? new ChainProgress(db, attempt, states)).fail(failure)
}

/** Renews the claim and hears of a cancel until `ending` fires; itself fires it when there is nothing left to do. */
async function keepClaim(db: Database, attempt: AttemptRow, ending: AbortController): Promise<void> {
  while (!ending.signal.aborted) {
    await sleep(heartbeatMs, ending.signal)
    if (ending.signal.aborted) return
    const outcome = await renewLease(db, attempt, buildLeaseMs).catch(() => 'unknown')
    if (outcome === 'cancel_requested') ending.abort(new BuildFailed('tenant_cancel'))
    if (outcome === 'lost') ending.abort(new ClaimLost())
  }
}
