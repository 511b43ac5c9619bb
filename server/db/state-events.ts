import type { StateMachine } from '@sandbox-jobs/contract/states/state-machine.ts'
import { sql } from 'kysely'
import { acrossCompanies } from './across-companies.ts'
import type { Executing } from './database.ts'

/* Deletes rows of `state_events`, which `transition()` writes. */

/** Deletes the events of entities of one kind. */
export const deleteEventsOf = (
  db: Executing,
  machine: StateMachine,
  entities: readonly { id: string; company_id: string }[],
): Promise<unknown> => {
  const ids = entities.map(({ id }) => id)
  const companyIds = [...new Set(entities.map(({ company_id }) => company_id))]
  return sql`
    delete from state_events where entity_id = any(${ids}::text[]) and entity = ${machine.name}
      and company_id = any(${companyIds}::text[])
  `.execute(db)
}

/**
 * Deletes at most `limit` events from before a time, oldest first, and returns their number. Events of runs are not among
 * them: they are deleted with the content of their run.
 */
export async function deleteOldEvents(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from state_events where ctid in (
      select ctid from state_events where entity <> 'run' and at < ${before} order by at limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
