import { type RawBuilder, sql } from 'kysely'
import { runEndsAt } from '../../capacity/capacity-in-use-statement.ts'
import { delaysNoReservation } from '../../capacity/memory-reservation-statement.ts'
import type { RunCapacity } from '../../capacity/run-capacity.ts'
import { hasSlot, isShort } from '../../capacity/waiting-companies-statement.ts'

/*
 * Which run may use the free capacity of an executor.
 *
 *   slots, bound   `capacity/waiting-companies-statement.ts`
 *   memory         The memory promised to all sandboxes never exceeds the executor's. A part is kept for the first short run
 *                  of a company, and one for a build. Promised memory counts, not used memory.
 *   turn           A run that lacks memory does not starve behind smaller runs: `capacity/memory-reservation-statement.ts`.
 */

/** CTE: the memory of the oldest live run of each company, which is its first one if it passed a reservation. */
export const firstRuns = sql`
    first_runs as materialized (
      select distinct on (company_id) memory, claimed_at from live order by company_id, claimed_at
    )`

/** Condition on the `head` of a queue of the company in `turns`: the run may start now. */
export const admits = (capacity: RunCapacity): RawBuilder<boolean> => {
  const { memoryMib, reservedMemoryMib } = capacity
  const isSmallFirst = sql<boolean>`(turns.live = 0 and ${isShort('head')} and head.resource_profile = 'standard')`
  const hasReservedMemory = sql<boolean>`${isSmallFirst} and head.memory + (
      select coalesce(sum(memory), 0) from first_runs where claimed_at > reservations.reserved_at
    ) <= ${sql.lit(reservedMemoryMib)}`
  const head = {
    id: sql`head.id`,
    memory: sql`head.memory`,
    endsAt: runEndsAt(sql`now()`, sql`head.timeout_seconds`),
  }
  return sql<boolean>`
    ${hasSlot(capacity, 'head', 'turns')}
    and (select memory from held) + head.memory
      <= ${sql.lit(memoryMib)} - case when ${isSmallFirst} then 0 else ${sql.lit(reservedMemoryMib)} end
    and ${delaysNoReservation(head, hasReservedMemory)}`
}
