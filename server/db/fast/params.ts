import { type RawBuilder, sql } from 'kysely'

/**
 * A parameter whose value is hidden from the planner. If a plan for the actual value looks cheaper than a generic plan,
 * Postgres plans the statement again at each execution, which costs several times more than executing it.
 */
export const opaqueParam = <Value>(value: Value, type: string): RawBuilder<Value> =>
  sql<Value>`(select ${value}::${sql.raw(type)})`

/** An array parameter whose length is hidden from the planner: a plan for the actual length always looks cheaper than a generic one. */
export const arrayParam = (values: unknown, type: 'text' | 'bytea'): RawBuilder<unknown> =>
  opaqueParam(values, `${type}[]`)
