import { sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing } from '../db/database.ts'

/* Writes the table `state_watches`. */

/** The thing that has states and that somebody waits for: a run or a build. */
export interface StateSubject {
  id: string
  company_id: string
}

/** Has the next changes of state notified on `state_changes`, for so many seconds. */
export async function watchState(db: Executing, subject: StateSubject, seconds: number): Promise<void> {
  await sql`
    insert into state_watches (subject_id, company_id, wanted_until)
    values (${subject.id}, ${subject.company_id}, now() + ${seconds} * interval '1 second')
    on conflict (subject_id) do update
    set wanted_until = greatest(state_watches.wanted_until, excluded.wanted_until)
    where state_watches.company_id = ${subject.company_id}
  `.execute(db)
}

const droppedAtOnce = 10_000

/** Removes what nobody waits for any more. */
export async function dropStateWatches(db: Executing): Promise<{ dropped: number }> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from state_watches where subject_id in (
      select subject_id from state_watches where wanted_until < now() limit ${droppedAtOnce})
  `.execute(db)
  return { dropped: Number(numAffectedRows ?? 0) }
}

/* Reads the table `state_events`, which `transition()` writes. */

interface StateEventRow {
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
