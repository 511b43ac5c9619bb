import { type RawBuilder, sql } from 'kysely'
import { isDriven } from '../work/executor-statement.ts'
import type { RunCapacity } from './run-capacity.ts'

/** Condition on the id of an executor: it may claim more, for all that the operator has decided. */
export const isOpen = (executor: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`${executor} <> all(array(select id from executors where draining))`

const capacitiesOf = (which: RawBuilder<unknown>) =>
  sql<RunCapacity[] | null>`(select json_agg(capacity) from executors where ${which})`

/** The capacities of the executors that workers drive, as their workers have stored them; null: there are none. */
export const drivenCapacities = capacitiesOf(isDriven)

/** Of those that do not drain. */
export const openCapacities = capacitiesOf(sql`${isDriven} and not draining`)
