import { sql } from 'kysely'
import { capacityInUse } from '../../../capacity/capacity-in-use-statement.ts'
import { reservationSeconds } from '../../../capacity/memory-reservation-statement.ts'
import { acrossCompanies } from '../../../db/across-companies.ts'
import type { Trx } from '../../../db/database.ts'
import type { BuildSlots } from '../build-limits.ts'
import { buildOrder, fairAttempts, hasBuildSlot } from './fair-attempts-statement.ts'

/* The table `build_memory_turn`: the waiting build for which runs and other builds leave memory. */

/** A build that has waited for so long has a reservation when it is its turn. Most builds start before. */
const waitSeconds = 60

/**
 * Gives the reservation to the waiting build whose turn it is, or renews it. A build that starts or ends meanwhile has none.
 * If no build has waited for long enough, an earlier reservation expires.
 */
export async function reserveMemory(trx: Trx, share: BuildSlots): Promise<void> {
  await sql`${acrossCompanies('builds of all companies wait for the same memory')}
    with ${capacityInUse(share.capacity)}
    insert into build_memory_turn as present (attempt_id, reserved_at, renewed_at)
    select a.id, now(), now() from ${fairAttempts}
    where ${hasBuildSlot(share)} and a.queued_at < now() - make_interval(secs => ${sql.lit(waitSeconds)})
    order by ${buildOrder} limit 1
    on conflict (single) do update set attempt_id = excluded.attempt_id, renewed_at = excluded.renewed_at,
      reserved_at = case
        when present.attempt_id = excluded.attempt_id
          and present.renewed_at > now() - make_interval(secs => ${sql.lit(reservationSeconds)})
        -- The clock may have been set back.
        then least(present.reserved_at, excluded.renewed_at) else excluded.reserved_at end
  `.execute(trx)
}
