import { sql } from 'kysely'
import type { Executing } from '../db/database.ts'
import { drivenCapacities } from './fleet-capacity-statement.ts'
import { type RunCapacity, totalCapacity } from './run-capacity.ts'

export interface Fleet {
  executors: number
  capacity: RunCapacity
}

/** The executors that workers drive; while there are none, one with this capacity. */
export async function readFleet(db: Executing, own: RunCapacity): Promise<Fleet> {
  const { rows } = await sql<{ parts: RunCapacity[] | null }>`select ${drivenCapacities} as parts`.execute(db)
  const parts = rows[0]?.parts ?? [own]
  return { executors: parts.length, capacity: totalCapacity(parts) }
}
