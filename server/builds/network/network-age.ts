import type { SandboxNetwork } from '../../../agent/port/sandbox-spec.ts'

/**
 * When the oldest build started that ran one of the steps with a network, this build or one that made a cached stage; null if
 * steps have none. A result made from cached stages is as old as they are, so no chain of reuse makes it younger.
 */
export function networkAge(
  startedAt: Date,
  {
    network,
    cachedStages,
  }: { network: SandboxNetwork; cachedStages: readonly { networkSince: Date | null }[] },
): Date | null {
  if (network === 'none') return null
  const times = cachedStages.flatMap(({ networkSince }) => (networkSince ? [networkSince.getTime()] : []))
  return new Date(Math.min(startedAt.getTime(), ...times))
}
