import { sql } from 'kysely'
import type { Sending } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { RowText } from '../db/row-text.ts'
import {
  type IdempotencyRow,
  type IdempotencyScope,
  type ScopeColumns,
  scopeArrays,
  scopeColumns,
  scopeText,
} from './idempotency-store.ts'
import { runById, runColumns, type ShownRun } from './run-store.ts'

/* Reads what idempotency keys were answered, with the runs that are part of it. */

/** Of a run that was queued `response` is what its row, as it is now, does not tell of the answer. */
export type GivenAnswer = Pick<IdempotencyRow, 'request_hash' | 'response'> & { run: ShownRun | null }

const runText = new RowText<ShownRun>(runColumns, {
  queued_at: true,
  claimed_at: true,
  cancel_requested_at: true,
  terminal_at: true,
})

/** Each key is looked up by itself: joined, a plan that was made while the table was short might walk all of it. */
const takenKeys = prepared<ScopeColumns, Omit<GivenAnswer, 'run'> & { place: number; run: string | null }>(
  (scopes) => sql`
    select asked.place, taken.request_hash, taken.response,
      case when taken.run_id is not null then ${runText.sql} end as run
    from unnest(${scopeArrays(scopes)}) with ordinality as asked (company_id, principal_id, route, key, place)
    cross join lateral (
      select * from idempotency_keys taken
      where taken.company_id = asked.company_id and taken.principal_id = asked.principal_id
        and taken.route = asked.route and taken.key = asked.key
      limit 1
    ) taken
    left join ${runById('taken.run_id')} on true
  `,
)

/** What was answered to those keys that are taken, by the text of their scope. */
export async function findAnswers(
  db: Sending,
  scopes: readonly IdempotencyScope[],
): Promise<Map<string, GivenAnswer>> {
  const rows = await takenKeys(db, scopeColumns(scopes))
  return new Map(
    rows.flatMap(({ place, run, ...given }) => {
      const scope = scopes[place - 1]
      return scope ? [[scopeText(scope), { ...given, run: run === null ? null : runText.read(run) }]] : []
    }),
  )
}
