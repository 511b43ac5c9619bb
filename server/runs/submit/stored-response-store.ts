import { type QueryExecutorProvider, sql } from 'kysely'
import { prepared } from '../../db/fast/prepared.ts'
import { RowText } from '../../db/fast/row-text.ts'
import type { ShownRun } from '../model/run-row.ts'
import { runById, runColumns } from '../model/run-store.ts'
import {
  type IdempotencyRow,
  type IdempotencyScope,
  type ScopeColumns,
  scopeArrays,
  scopeColumns,
  scopeText,
} from './idempotency-store.ts'

/* Reads the stored responses of idempotency keys, with the runs that they contain. */

/** For a queued run, `response` holds only the fields that cannot be derived from its row. */
export type StoredResponse = Pick<IdempotencyRow, 'request_hash' | 'response'> & { run: ShownRun | null }

const runText = new RowText<ShownRun>(runColumns, {
  queued_at: true,
  claimed_at: true,
  cancel_requested_at: true,
  terminal_at: true,
})

/** Each key is looked up by a lateral subquery: for a join, a plan made while the table was short might scan all of it. */
const responsesOfKeys = prepared<
  ScopeColumns,
  Omit<StoredResponse, 'run'> & { place: number; run: string | null }
>(
  (scopes) => sql`
    select requested.place, taken.request_hash, taken.response,
      case when taken.run_id is not null then ${runText.sql} end as run
    from unnest(${scopeArrays(scopes)}) with ordinality as requested (company_id, principal_id, route, key, place)
    cross join lateral (
      select * from idempotency_keys taken
      where taken.company_id = requested.company_id and taken.principal_id = requested.principal_id
        and taken.route = requested.route and taken.key = requested.key
      limit 1
    ) taken
    left join ${runById('taken.run_id')} on true
  `,
)

/** The stored responses of those keys that are taken, by `scopeText`. */
export async function findResponses(
  db: QueryExecutorProvider,
  scopes: readonly IdempotencyScope[],
): Promise<Map<string, StoredResponse>> {
  const rows = await responsesOfKeys(db, scopeColumns(scopes))
  return new Map(
    rows.flatMap(({ place, run, ...given }) => {
      const scope = scopes[place - 1]
      return scope ? [[scopeText(scope), { ...given, run: run === null ? null : runText.read(run) }]] : []
    }),
  )
}
