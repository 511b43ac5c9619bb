import { filesOf, type Proof, proofs } from '../../testing/suite/proofs.ts'
import { commonCommit, hasChanged } from './changes.ts'
import type { Passes } from './passes.ts'

/** Tests break no other test. */
const noTests = ':(exclude)*.test.ts'

/**
 * The proofs that have changed, or whose folders have, since they last passed on this machine; since the newest commit that a remote
 * has, for those that never did.
 */
export function dueProofs(passes: Passes): Proof[] {
  const base = commonCommit()
  return proofs.filter((proof) => {
    const since = passes[proof.name]?.commit ?? base
    const files = filesOf(proof)
    return (
      hasChanged(since, [...proof.proves, noTests], base) ||
      (files.length > 0 && hasChanged(since, files, base))
    )
  })
}
