import { ExecutorRefused, type SandboxSpec } from './port.ts'

/** A start comes at most so long after its claim. A claim that is so far ahead is of a clock that went back since. */
export const startableMs = 12 * 3_600_000

/** The slug of a refusal: the start came too long after its claim. Nothing was started. */
export const claimExpired = 'claim_expired'

/**
 * Refuses a start whose claim is too old, or has a time that is none. Marks of ids are kept for longer than `startableMs`,
 * so a start that passes here would find the mark of its id, had it one.
 */
export function requireInTime({ id, claimedAt }: Pick<SandboxSpec, 'id' | 'claimedAt'>, now: Date): void {
  if (claimedAt === undefined) return
  const isInTime = Math.abs(now.getTime() - Date.parse(claimedAt)) <= startableMs
  if (!isInTime)
    throw new ExecutorRefused(claimExpired, `sandbox ${id} was claimed too long ago to start now`)
}
