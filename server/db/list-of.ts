import type { RawBuilder } from 'kysely'
import { unseen } from './unseen.ts'

/** An array of values, its length unseen: a plan for the length at hand always looks cheaper than one for any. */
export const listOf = (values: unknown, type: 'text' | 'bytea'): RawBuilder<unknown> =>
  unseen(values, `${type}[]`)
