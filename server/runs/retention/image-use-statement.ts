import { sql } from 'kysely'

/** Condition on `environment_versions v`: a run that has not ended uses it. */
export const imageUseByRun = sql<boolean>`exists (
  select 1 from runs r where r.environment_version_id = v.id
    and r.state in ('queued', 'starting', 'running', 'cancel_requested')
)`
