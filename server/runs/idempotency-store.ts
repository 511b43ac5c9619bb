import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Rendered } from '../base/rendered.ts'
import type { Executing, Sending, Trx } from '../db/database.ts'
import { listOf } from '../db/list-of.ts'
import { type Places, prepared } from '../db/prepared.ts'
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

export type GivenAnswer = Pick<IdempotencyRow, 'request_hash' | 'response'>

const takenKeys = prepared<ScopeColumns, GivenAnswer & { place: number }>(
  (scopes) => sql`
    select asked.place, taken.request_hash, taken.response
    from unnest(${textArrays(scopes)}) with ordinality as asked (company_id, principal_id, route, key, place)
    join idempotency_keys taken using (company_id, principal_id, route, key)
  `,
)

/** What was answered to those keys that are taken, by the text of their scope. */
export async function findKeys(
  db: Sending,
  scopes: readonly IdempotencyScope[],
): Promise<Map<string, GivenAnswer>> {
  const rows = await takenKeys(db, scopeColumns(scopes))
  return new Map(
    rows.flatMap(({ place, ...given }) => {
      const scope = scopes[place - 1]
      return scope ? [[scopeText(scope), given]] : []
    }),
  )
}

type ScopeColumns = {
  keyCompanyIds: string[]
  keyPrincipalIds: string[]
  routes: string[]
  keys: string[]
}

const scopeColumns = (scopes: readonly IdempotencyScope[]): ScopeColumns => ({
  keyCompanyIds: scopes.map(({ companyId }) => companyId),
  keyPrincipalIds: scopes.map(({ principalId }) => principalId),
  routes: scopes.map(({ route }) => route),
  keys: scopes.map(({ key }) => key),
})

const textArrays = ({ keyCompanyIds, keyPrincipalIds, routes, keys }: Places<ScopeColumns>) =>
  sql.join([keyCompanyIds, keyPrincipalIds, routes, keys].map((values) => listOf(values, 'text')))

/** Keys with their answers, as `answersInsert` takes them. */
export type AnswerColumns = ScopeColumns & {
  requestHashes: string[]
  /** One JSON array: its values are stored as they stand in it. */
  answers: string
}

export const answerColumns = (
  given: readonly { intent: { scope: IdempotencyScope; requestHash: string }; answer: Rendered<unknown> }[],
): AnswerColumns => ({
  ...scopeColumns(given.map(({ intent }) => intent.scope)),
  requestHashes: given.map(({ intent }) => intent.requestHash),
  answers: `[${given.map(({ answer }) => answer.text).join()}]`,
})

/**
 * Part of a statement: takes keys that are free, with their answers; the caller holds what keeps twins from taking them
 * meanwhile.
 */
export const answersInsert = (given: Places<AnswerColumns>): RawBuilder<unknown> => sql`
    insert into idempotency_keys (company_id, principal_id, route, key, request_hash, response)
    select * from rows from (
      unnest(${textArrays(given)}, ${given.requestHashes}::text[]), json_array_elements(${given.answers}::json)
    ) as given (company_id, principal_id, route, key, request_hash, response)`

export const findKey = (db: Executing, scope: IdempotencyScope): Promise<IdempotencyRow | undefined> =>
  db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('company_id', '=', scope.companyId)
    .where('principal_id', '=', scope.principalId)
    .where('route', '=', scope.route)
    .where('key', '=', scope.key)
    .executeTakeFirst()

/** Deletes at most `limit` of the keys taken before a time, oldest first, and answers how many it did. */
export async function deleteOldKeys(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
