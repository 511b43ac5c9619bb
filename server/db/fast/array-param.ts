import type { RawBuilder } from 'kysely'
import { opaqueParam } from './opaque-param.ts'

/** An array parameter whose length is hidden from the planner: a plan for the actual length always looks cheaper than a generic one. */
export const arrayParam = (values: unknown, type: 'text' | 'bytea'): RawBuilder<unknown> =>
  opaqueParam(values, `${type}[]`)
