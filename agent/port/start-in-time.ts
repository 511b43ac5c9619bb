import { ExecutorRefused } from './errors.ts'
import type { SandboxSpec } from './sandbox-spec.ts'

/** Maximum time between a claim and its start. It also limits claims in the future, which come from a clock that was set back. */
export const startableMs = 12 * 3_600_000

/** The slug of a refusal: the start came too long after its claim. Nothing was started. */
export const claimExpired = 'claim_expired'

/**
 * Refuses a start whose claim is too old or has an invalid time. Marks of ids are kept for longer than `startableMs`, so a
 * start that passes this check cannot miss the mark of its id.
 */
export function requireInTime({ id, claimedAt }: Pick<SandboxSpec, 'id' | 'claimedAt'>, now: Date): void {
  if (!isInTime(claimedAt, now))
    throw new ExecutorRefused(claimExpired, `sandbox ${id} was claimed too long ago to start now`)
}

export const isInTime = (claimedAt: string | undefined, now: Date): boolean =>
  claimedAt === undefined || Math.abs(now.getTime() - Date.parse(claimedAt)) <= startableMs
