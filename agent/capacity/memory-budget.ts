import { ExecutorRefused } from '../port/errors.ts'
import { noCapacity } from '../port/refusal-causes.ts'

/** One sandbox counts for at most 1/maxShare of the limit, so that a second one always fits. */
const maxShare = 2

/**
 * Memory that is promised to live sandboxes of all kinds: jobs, builds, pulls and internal ones. The sum never exceeds the
 * limit, except when one sandbox alone was promised more than half of it: then the control group above all sandboxes
 * (`prepareCgroups`) enforces the limit.
 */
export class MemoryBudget {
  readonly #limitBytes: number
  #heldBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Refuses with `no_capacity`: the caller waits, as for a slot. */
  require(bytes: number): void {
    if (this.#heldBytes + this.#counted(bytes) <= this.#limitBytes) return
    throw new ExecutorRefused(noCapacity, 'the memory of this machine is promised to other sandboxes')
  }

  hold(bytes: number): void {
    this.#heldBytes += this.#counted(bytes)
  }

  release(bytes: number): void {
    this.#heldBytes -= this.#counted(bytes)
  }

  #counted(bytes: number): number {
    return Math.min(bytes, Math.floor(this.#limitBytes / maxShare))
  }
}
