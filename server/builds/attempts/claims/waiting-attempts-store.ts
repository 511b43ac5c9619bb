import { activeBuildLimitDefault } from '@sandbox-jobs/contract/limits.ts'
import { type RawBuilder, sql } from 'kysely'
import { capacityInUse } from '../../../capacity/capacity-in-use-statement.ts'
import { reservationSeconds } from '../../../capacity/memory-reservation-statement.ts'
import { acrossCompanies } from '../../../db/across-companies.ts'
import type { Trx } from '../../../db/database.ts'
import type { BuildSlots } from '../build-limits.ts'

/*
 * Parts of statements: waiting attempts in turn. The CTE `held` precedes (`capacity-in-use-statement.ts`). The table
 * `build_memory_turn` has the waiting build for which runs and other builds of an executor leave memory.
 */

/** Attempts `a`, with the running builds of their company (`busy.active`) and when it was served last (`served.at`). */
export const fairAttempts = sql`
    build_attempts a cross join held
    left join company_settings s on s.company_id = a.company_id
    cross join lateral (
      select count(*) as active from build_attempts b
      where b.company_id = a.company_id and b.terminal_at is null and b.worker is not null
    ) busy
    cross join lateral (
      select max(b.started_at) as at from build_attempts b
      where b.company_id = a.company_id and b.started_at is not null
    ) served`

/** Condition: the attempt waits, and company and executor have a slot for it. */
export const hasBuildSlot = ({ slots, reserved }: BuildSlots): RawBuilder<boolean> => sql<boolean>`
    a.terminal_at is null and a.state = 'validation_queued'
    and busy.active < coalesce(s.active_build_limit, ${activeBuildLimitDefault}::int)
    and held.builds < ${sql.lit(slots)} - case when busy.active = 0 then 0 else ${sql.lit(reserved)} end`

/** The company with the fewest running builds first, then the one served least recently. */
export const buildOrder = sql`busy.active, served.at nulls first, a.queued_at, a.id`

/** A build that has waited for so long has a reservation when it is its turn. Most builds start before. */
const waitSeconds = 60

/**
 * Gives the reservation to the waiting build whose turn it is, or renews it. A build that starts or ends meanwhile has none.
 * If no build has waited for long enough, an earlier reservation expires.
 */
export async function reserveMemory(trx: Trx, executor: string, share: BuildSlots): Promise<void> {
  await sql`${acrossCompanies('builds of all companies wait for the same memory')}
    with ${capacityInUse(share.capacity, executor)}
    insert into build_memory_turn as present (executor, attempt_id, reserved_at, renewed_at)
    select ${executor}, a.id, now(), now() from ${fairAttempts}
    where ${hasBuildSlot(share)} and a.queued_at < now() - make_interval(secs => ${sql.lit(waitSeconds)})
    order by ${buildOrder} limit 1
    on conflict (executor) do update set attempt_id = excluded.attempt_id, renewed_at = excluded.renewed_at,
      reserved_at = case
        when present.attempt_id = excluded.attempt_id
          and present.renewed_at > now() - make_interval(secs => ${sql.lit(reservationSeconds)})
        -- The clock may have been set back.
        then least(present.reserved_at, excluded.renewed_at) else excluded.reserved_at end
  `.execute(trx)
}
