import { type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'
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
