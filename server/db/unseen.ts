import { type RawBuilder, sql } from 'kysely'

/**
 * A value that the planner does not see: where a plan for the value at hand looks cheaper than one for any, Postgres plans
 * the statement anew at each execution, which costs several times what it then does.
 */
export const unseen = <Value>(value: Value, type: string): RawBuilder<Value> =>
  sql<Value>`(select ${value}::${sql.raw(type)})`
