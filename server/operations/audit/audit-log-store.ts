import { type Selectable, sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import type { OperatorActsTable } from '../../db/tables/audit.ts'

export type AuditEntryRow = Selectable<OperatorActsTable>

export type NewAuditEntry = Pick<AuditEntryRow, 'account' | 'act' | 'subject' | 'details'>

export async function insertAuditEntry(db: Executing, { details, ...act }: NewAuditEntry): Promise<void> {
  await db
    .insertInto('operator_acts')
    .values({ ...act, details: JSON.stringify(details) as unknown as object })
    .execute()
}

/** Newest first; those with numbers below `before`, if it is given. */
export const listAuditEntries = (db: Executing, limit: number, before?: number): Promise<AuditEntryRow[]> =>
  db
    .selectFrom('operator_acts')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('sequence', '<', before ?? 0))
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()

/** The first row whose number or hash does not follow from the rows before it. Undefined if all rows are intact. */
export async function findBrokenEntry(db: Executing): Promise<number | undefined> {
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
