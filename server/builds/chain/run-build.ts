import type { Database } from '../../db/database.ts'
import { ClaimLost, keepLease } from '../../work/lease.ts'
import { type RetryPolicy, retry, WorkerStopping } from '../../work/retry.ts'
import { type AttemptRow, renewLease } from '../attempts/claims/claimed-attempt-store.ts'
import type { BuildTools } from '../request/build.ts'
import { BuildFailed } from '../request/build-failed.ts'
import { recordQueued } from './build-trace.ts'
import { failBuild, isClaimGone, runChain } from './run-chain.ts'

export const buildLeaseMs = 30_000
const heartbeatMs = 1000
/** Retries during an outage of the executor, the storage or the database. */
const outageRetry: RetryPolicy = {
  firstPauseMs: 400,
  maxPauseMs: () => 10_000,
  giveUpAfterMs: (error) => (isClaimGone(error) ? 0 : 550_000),
}

/**
 * Runs a claimed attempt to its end. The chain always runs from its first step: every step is idempotent, and
 * sandboxes that a former worker started are found again and not started twice.
 */
export async function runBuild(
  db: Database,
  tools: BuildTools,
  attempt: AttemptRow,
  stopping: AbortSignal,
): Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  const onStop = () => ending.abort(stopping.reason)
  stopping.addEventListener('abort', onStop, { once: true })
  const log = tools.log.child({ attempt: attempt.id })
  recordQueued(attempt)
  const renew = () => renewClaim(db, attempt, ending)
  const heartbeat = keepLease({ everyMs: heartbeatMs, renew, signal, log })
  try {
    await retry('build', () => runChain(db, tools, attempt, signal), { policy: outageRetry, signal, log })
  } catch (error) {
    if (isClaimGone(error)) return
    const failure =
      error instanceof BuildFailed ? error : new BuildFailed('platform_failed', 'platform_unavailable')
    const end = () => failBuild(db, tools, attempt, { failure })
    await retry('end the build', end, { policy: outageRetry, signal: stopping, log }).catch(ignoreClaimGone)
  } finally {
    stopping.removeEventListener('abort', onStop)
    ending.abort(new WorkerStopping())
    await heartbeat
  }
}

function ignoreClaimGone(error: unknown): void {
  if (!isClaimGone(error)) throw error
}

/** Renews the claim. Ends the build if a cancel was requested or the claim is lost. */
async function renewClaim(
  db: Database,
  attempt: AttemptRow,
  ending: AbortController,
): Promise<'held' | 'lost'> {
  const outcome = await renewLease(db, attempt, buildLeaseMs)
  if (outcome === 'cancel_requested') ending.abort(new BuildFailed('tenant_cancel'))
  if (outcome === 'lost') ending.abort(new ClaimLost())
  return outcome === 'lost' ? 'lost' : 'held'
}
