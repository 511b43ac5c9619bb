import { ExecutorRefused, noCapacity } from '../../port.ts'

/** One sandbox counts for this part at most, so that beside any there is room for another. */
const largestPart = 2

/**
 * The memory that living sandboxes were promised, of all kinds: jobs, builds, pulls and the agent's own. Never more than
 * all of them may have together, except where one alone was promised more than half of it: the control group above them
 * (`prepareCgroups`) holds that.
 */
export class MemoryBudget {
  readonly #limitBytes: number
  #heldBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Refuses with `no_capacity`: whoever asks waits, as for a place. */
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
    return Math.min(bytes, Math.floor(this.#limitBytes / largestPart))
  }
}
