import { type RawBuilder, sql } from 'kysely'
import type { Refusals } from '../../../agent/port/network-refusals.ts'
import type { Executing } from '../../db/database.ts'

/** Writes the table `run_refusals`. */

/** CTE `refusals`: inserts the refused connections of the run in `moved`. */
export const refusalsCte = ({ entries, more }: Refusals): RawBuilder<unknown> => sql`
  refusals as (
    insert into run_refusals (run_id, company_id, entries, more)
    select id, company_id, ${JSON.stringify(entries)}::jsonb, ${more}::bigint from moved
  )`

export const findRefusals = (
  db: Executing,
  run: { id: string; company_id: string },
): Promise<Refusals | undefined> =>
  db
    .selectFrom('run_refusals')
    .select(['entries', 'more'])
    .where('run_id', '=', run.id)
    .where('company_id', '=', run.company_id)
    .executeTakeFirst()
