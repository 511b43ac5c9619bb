import { type RawBuilder, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/array-param.ts'
import type { Placeholders } from '../../db/fast/prepared.ts'
import type { IdempotencyKeysTable } from '../../db/tables/runs.ts'

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
