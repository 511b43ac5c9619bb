import { hash } from 'node:crypto'

/** Identity of a set of slots, whatever order they are named in (contract part 1, `slot_set_hash`). */
export const slotSetHash = (names: readonly string[]): string =>
  `sha256:${hash('sha256', names.toSorted().join('\n'))}`
