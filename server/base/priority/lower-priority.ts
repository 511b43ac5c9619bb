import { constants, getPriority, setPriority } from 'node:os'

/** Gives the calling thread a lower priority than the service's other threads. One that is still lower, as under `nice`, stays. */
export function lowerPriority(): void {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
}
