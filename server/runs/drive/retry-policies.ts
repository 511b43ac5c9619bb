import { ExecutorRefused, ExecutorUnavailable, SandboxUnknown } from '../../../agent/port/errors.ts'
import { noCapacity } from '../../../agent/port/refusal-causes.ts'
import { ObjectMissing, ObjectTooLarge } from '../../storage/port.ts'
import type { RetryPolicy } from '../../work/retry.ts'

/*
 * Every step of a run is safe to repeat, and a host or database that is unavailable for a while must not decide how a run
 * ends. Errors that a retry cannot change are thrown at once.
 */

const always = Number.POSITIVE_INFINITY
const longMs = 600_000
const shortMs = 10_000
/** Short, because a call to an unavailable service is cheap and the service may return at any moment. */
const maxPauseMs = 500
const maxPauseWhileFullMs = 5000

const isFinal = (error: unknown): boolean =>
  (error instanceof ExecutorRefused && error.slug !== noCapacity) ||
  error instanceof SandboxUnknown ||
  error instanceof ObjectMissing ||
  error instanceof ObjectTooLarge

const isHostUnavailable = (error: unknown): boolean =>
  error instanceof ExecutorUnavailable || error instanceof ExecutorRefused

const policy = (giveUpMs: number, whileHostIsAwayMs = giveUpMs): RetryPolicy => ({
  firstPauseMs: 50,
  maxPauseMs: (error) => (error instanceof ExecutorRefused ? maxPauseWhileFullMs : maxPauseMs),
  giveUpAfterMs: (error) => {
    if (isFinal(error)) return 0
    return isHostUnavailable(error) ? whileHostIsAwayMs : giveUpMs
  },
  describe,
})

export const forever = policy(always)
export const whilePreparing = policy(shortMs)
/** Shorter than the lease of the claim. */
export const whileStarting = policy(shortMs, longMs)
export const whileCollecting = policy(longMs)

/** Text for the log. The message of a refusal and the fields of a database error are left out: they may quote tenant text. */
export function describe(error: unknown): string {
  if (error instanceof ExecutorRefused) return `refused: ${error.slug}`
  return error instanceof Error ? error.message : String(error)
}
