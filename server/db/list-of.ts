import { type RawBuilder, sql } from 'kysely'

/**
 * An array of values, its length unseen by the planner: a plan for the length at hand always looks cheaper than one for
 * any, so Postgres would plan the statement anew at each execution, which costs several times what it then does.
 */
export const listOf = (values: unknown, type: 'text' | 'bytea'): RawBuilder<unknown> =>
  sql`(select ${values}::${sql.raw(type)}[])`
