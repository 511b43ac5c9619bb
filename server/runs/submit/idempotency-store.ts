import { type QueryExecutorProvider, type RawBuilder, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'
import { type Placeholders, prepared } from '../../db/fast/prepared.ts'
import { RowText } from '../../db/fast/row-text.ts'
import type { IdempotencyKeysTable } from '../../db/tables/runs.ts'
import type { ShownRun } from '../model/run-row.ts'
import { runById, runColumns } from '../model/run-store.ts'

/** Writes the table `idempotency_keys`. */

export interface IdempotencyScope {
  companyId: string
  principalId: string
  route: string
  key: string
}

export type IdempotencyRow = Selectable<IdempotencyKeysTable>

/**
 * Takes the key for this transaction. Returns false if it is taken. The second of two concurrent equal requests waits here
 * until the first has committed, and takes the key itself if the first rolled back.
 */
export async function takeKey(trx: Trx, scope: IdempotencyScope, requestHash: string): Promise<boolean> {
  const taken = await trx
    .insertInto('idempotency_keys')
    .values({
      company_id: scope.companyId,
      principal_id: scope.principalId,
      route: scope.route,
      key: scope.key,
      request_hash: requestHash,
      response: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return taken !== undefined
}

export async function storeResponse(
  trx: Trx,
  scope: IdempotencyScope,
  response: Record<string, unknown>,
): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set({ response: sql`${JSON.stringify(response)}::json` })
    .where('company_id', '=', scope.companyId)
    .where('principal_id', '=', scope.principalId)
    .where('route', '=', scope.route)
    .where('key', '=', scope.key)
    .execute()
}

/** Unique text of a key. Only its last part may hold any character. */
export const scopeText = ({ companyId, principalId, route, key }: IdempotencyScope): string =>
  `${companyId}\n${principalId}\n${route}\n${key}`

export type ScopeColumns = {
  keyCompanyIds: string[]
  keyPrincipalIds: string[]
  routes: string[]
  keys: string[]
}

export const scopeColumns = (scopes: readonly IdempotencyScope[]): ScopeColumns => ({
  keyCompanyIds: scopes.map(({ companyId }) => companyId),
  keyPrincipalIds: scopes.map(({ principalId }) => principalId),
  routes: scopes.map(({ route }) => route),
  keys: scopes.map(({ key }) => key),
})

export const scopeArrays = ({ keyCompanyIds, keyPrincipalIds, routes, keys }: Placeholders<ScopeColumns>) =>
  sql.join([keyCompanyIds, keyPrincipalIds, routes, keys].map((values) => arrayParam(values, 'text')))

/** A key, the run queued under it, and the part of the response that cannot be derived from the run's row. */
export interface RunResponse {
  intent: { scope: IdempotencyScope; requestHash: string }
  runId: string
  partial: Record<string, unknown>
}

/** Keys with their responses, as columns for `insertResponses`. */
export type ResponseColumns = ScopeColumns & {
  requestHashes: string[]
  answeredRunIds: string[]
  /** One JSON array; its elements are stored unchanged. */
  answers: string
}

export const responseColumns = (answered: readonly RunResponse[]): ResponseColumns => ({
  ...scopeColumns(answered.map(({ intent }) => intent.scope)),
  requestHashes: answered.map(({ intent }) => intent.requestHash),
  answeredRunIds: answered.map(({ runId }) => runId),
  answers: JSON.stringify(answered.map(({ partial: beside }) => beside)),
})

/** SQL fragment: takes free keys and stores their responses. The caller holds a lock that excludes concurrent equal requests. */
export const insertResponses = (given: Placeholders<ResponseColumns>): RawBuilder<unknown> => sql`
    insert into idempotency_keys (company_id, principal_id, route, key, request_hash, run_id, response)
    select * from rows from (
      unnest(${scopeArrays(given)}, ${given.requestHashes}::text[], ${given.answeredRunIds}::text[]),
      json_array_elements(${given.answers}::json)
    ) as given (company_id, principal_id, route, key, request_hash, run_id, response)`

/** Deletes at most `limit` keys taken before a time, oldest first, and returns their number. */
export async function deleteOldKeys(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

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
