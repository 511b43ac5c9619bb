import { type Proof, proofs } from '../../testing/suite/proofs.ts'
import { commonCommit, hasChanged } from './changes.ts'
import type { Passes } from './passes.ts'

/**
 * The proofs whose folders have changed since they last passed on this machine; since the newest commit that a remote has, for
 * those that never did.
 */
export function dueProofs(passes: Passes): Proof[] {
  const base = commonCommit()
  return proofs.filter(({ name, proves }) => hasChanged(passes[name]?.commit ?? base, proves, base))
}
