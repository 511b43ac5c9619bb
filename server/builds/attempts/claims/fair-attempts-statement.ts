import { activeBuildLimitDefault } from '@sandbox-jobs/contract/limits.ts'
import { type RawBuilder, sql } from 'kysely'
import type { BuildSlots } from '../build-limits.ts'

/* Parts of statements: waiting attempts in turn. The CTE `held` precedes (`capacity-in-use-statement.ts`). */

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

/** Condition: the attempt waits, and company and machine have a slot for it. */
export const hasBuildSlot = ({ slots, reserved }: BuildSlots): RawBuilder<boolean> => sql<boolean>`
    a.terminal_at is null and a.state = 'validation_queued'
    and busy.active < coalesce(s.active_build_limit, ${activeBuildLimitDefault}::int)
    and held.builds < ${sql.lit(slots)} - case when busy.active = 0 then 0 else ${sql.lit(reserved)} end`

/** The company with the fewest running builds first, then the one served least recently. */
export const buildOrder = sql`busy.active, served.at nulls first, a.queued_at, a.id`
