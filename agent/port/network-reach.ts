import type { MirrorUse } from './package-mirror.ts'

/** Destinations that a sandbox connected to, as far as they were recorded. */
export interface Reach {
  /** At most 200, in the order of their first connection. */
  entries: ReachedTarget[]
  /** Number of further targets. */
  more: number
  /** False if the agent or its resolver was restarted meanwhile: then some targets may be missing. */
  isComplete: boolean
  /** For a sandbox with package mirrors: each that it used. */
  mirrors?: MirrorUse[]
}

/** One address, protocol and port. */
export interface ReachedTarget {
  /**
   * The name that the sandbox had resolved to this address, the first of several; escaped as `Refusal.name`. Empty if it had
   * resolved none.
   */
  name: string
  address: string
  protocol: 'tcp' | 'udp'
  port: number
}
