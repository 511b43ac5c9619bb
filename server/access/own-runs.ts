import type { Action } from '@sandbox-jobs/contract/access/action.ts'
import { type ActionName, actions } from '@sandbox-jobs/contract/access/actions.ts'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Principal } from './principal.ts'

/*
 * The one rule of own runs: whoever may act in a room reads all of its runs, but a sandbox-scope key reads those that it
 * submitted itself, and for it the others do not exist (contract part 1, "Restricted API keys").
 */

/** The key whose own runs are all that the principal may see with this action; undefined for every run of the room. */
export function ownRunsOf({ apiKey }: Principal, action: ActionName): string | undefined {
  const { key }: Action = actions[action]
  return key === 'own' && apiKey?.scope === 'sandbox' ? apiKey.id : undefined
}

/** SQL condition on `runs`: submitted by that key. */
export const submittedBy = (apiKeyId: Expression<string | null>): Expression<SqlBool> =>
  sql<SqlBool>`runs.api_key_id = ${apiKeyId}`

/** SQL condition on `runs`: seen by the key that `ownRunsOf` names, or by anybody where it is null. */
export const seenByKey = (apiKeyId: Expression<string | null>): Expression<SqlBool> =>
  sql<SqlBool>`(${apiKeyId} is null or ${submittedBy(apiKeyId)})`

/** The same as `ownRunsOf` in a statement that has the `key` of the caller. */
export const ownRunsOfKey: RawBuilder<string | null> = sql`case when key.scope = 'sandbox' then key.id end`
