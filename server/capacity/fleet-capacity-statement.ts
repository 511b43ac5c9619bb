import { sql } from 'kysely'
import { isDriven } from '../work/executor-statement.ts'
import type { RunCapacity } from './run-capacity.ts'

/** The capacities of the executors that workers drive, as their workers have stored them; null: there are none. */
export const drivenCapacities = sql<
  RunCapacity[] | null
>`(select json_agg(capacity) from executors where ${isDriven})`
