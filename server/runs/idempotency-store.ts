import { type RawBuilder, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import { listOf } from '../db/list-of.ts'
import type { Places } from '../db/prepared.ts'
import type { IdempotencyKeysTable } from '../db/tables/runs.ts'

/** Writes the table `idempotency_keys`. */

export interface IdempotencyScope {
  companyId: string
  principalId: string
  route: string
  key: string
}

export type IdempotencyRow = Selectable<IdempotencyKeysTable>

/**
 * Takes the key for this transaction. False when it is taken: of twins that arrive together the later one waits here
 * until the first has committed, and takes the key itself if that one gave up.
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

export async function keepAnswer(
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

/** Names a key among all. Its last part alone may hold any character. */
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

export const scopeArrays = ({ keyCompanyIds, keyPrincipalIds, routes, keys }: Places<ScopeColumns>) =>
  sql.join([keyCompanyIds, keyPrincipalIds, routes, keys].map((values) => listOf(values, 'text')))

/** A key, the run that was queued under it, and what the run's row does not tell of the answer. */
export interface AnsweredRun {
  intent: { scope: IdempotencyScope; requestHash: string }
  runId: string
  beside: Record<string, unknown>
}

/** Keys with their answers, as `answersInsert` takes them. */
export type AnswerColumns = ScopeColumns & {
  requestHashes: string[]
  answeredRunIds: string[]
  /** One JSON array: its values are stored as they stand in it. */
  answers: string
}

export const answerColumns = (answered: readonly AnsweredRun[]): AnswerColumns => ({
  ...scopeColumns(answered.map(({ intent }) => intent.scope)),
  requestHashes: answered.map(({ intent }) => intent.requestHash),
  answeredRunIds: answered.map(({ runId }) => runId),
  answers: JSON.stringify(answered.map(({ beside }) => beside)),
})

/**
 * Part of a statement: takes keys that are free, with their answers; the caller holds what keeps twins from taking them
 * meanwhile.
 */
export const answersInsert = (given: Places<AnswerColumns>): RawBuilder<unknown> => sql`
    insert into idempotency_keys (company_id, principal_id, route, key, request_hash, run_id, response)
    select * from rows from (
      unnest(${scopeArrays(given)}, ${given.requestHashes}::text[], ${given.answeredRunIds}::text[]),
      json_array_elements(${given.answers}::json)
    ) as given (company_id, principal_id, route, key, request_hash, run_id, response)`

/** Deletes at most `limit` of the keys taken before a time, oldest first, and answers how many it did. */
export async function deleteOldKeys(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
