import { sql } from 'kysely'
import type { Executing } from '../db/database.ts'
import type { StateSubject } from './state-watch-store.ts'

/* Reads the table `state_events`, which `transition()` writes. */

export interface StateEventRow {
  /** 1 for the first state of the subject: numbers of the table would tell how much others do. */
  position: number
  to_state: string
  at: Date
}

/** Changes of state behind the position `after`, in their order. */
export async function listStateEvents(
  db: Executing,
  { id, company_id: companyId }: StateSubject,
  { after, limit }: { after: number; limit: number },
): Promise<StateEventRow[]> {
  const { rows } = await sql<StateEventRow>`
    select position, to_state, at from (
      select row_number() over (order by id) as position, to_state, at from state_events
      where entity_id = ${id} and company_id = ${companyId}
    ) events
    where position > ${after}::bigint order by position limit ${limit}
  `.execute(db)
  return rows
}
