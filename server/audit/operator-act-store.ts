import { type Selectable, sql } from 'kysely'
import type { Executing } from '../db/database.ts'
import type { OperatorActsTable } from '../db/tables/audit.ts'

export type OperatorActRow = Selectable<OperatorActsTable>

export type NewOperatorAct = Pick<OperatorActRow, 'account' | 'act' | 'subject' | 'details'>

export async function insertOperatorAct(db: Executing, { details, ...act }: NewOperatorAct): Promise<void> {
  await db
    .insertInto('operator_acts')
    .values({ ...act, details: JSON.stringify(details) as unknown as object })
    .execute()
}

/** Newest first. */
export const listOperatorActs = (db: Executing, limit: number): Promise<OperatorActRow[]> =>
  db.selectFrom('operator_acts').selectAll().orderBy('sequence', 'desc').limit(limit).execute()

/** The first row whose place or hash is not what the rows before it make it; undefined when all are. */
export async function findBrokenAct(db: Executing): Promise<number | undefined> {
  const { rows } = await sql<{ sequence: number }>`
    select sequence from (
      select a.sequence, a.hash is distinct from operator_act_hash(a, coalesce(lag(a.hash) over past, '')) as forged,
             row_number() over past as place
      from operator_acts a window past as (order by a.sequence)
    ) acts
    where forged or place <> sequence order by sequence limit 1
  `.execute(db)
  return rows[0]?.sequence
}
