import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import type { AuditChainsTable, AuditEntriesTable, AuditHeadsTable } from '../../db/tables/audit.ts'

export type AuditRow = Selectable<AuditEntriesTable>
export type ChainRow = Selectable<AuditChainsTable>
export type HeadRow = Selectable<AuditHeadsTable>

/** Moves pending changes of all companies into their chains, and returns how many. */
export async function chainEntries(db: Executing, limit: number): Promise<number> {
  const { rows } = await sql<{ moved: number }>`select chain_audit_entries(${limit}) as moved`.execute(db)
  return rows[0]?.moved ?? 0
}

export interface Kept {
  from: Date
  entries: number
}

/** Removes the oldest entries of a chain that are beyond what is kept, `limit` at most; returns how many. */
export async function trimEntries(
  db: Executing,
  companyId: string,
  { kept, limit }: { kept: Kept; limit: number },
): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    select trim_audit_entries(${companyId}, ${kept.from}, ${kept.entries}, ${limit}) as removed`.execute(db)
  return Number(rows[0]?.removed ?? 0)
}

/** Companies whose chain has entries beyond what is kept, and the one that says that others were removed. */
export async function listChainsToTrim(db: Executing, kept: Kept): Promise<string[]> {
  const { rows } = await sql<{ company_id: string }>`${acrossCompanies('retention of the audit log')}
    select c.company_id from audit_chains c
    where c.sequence - c.start_sequence > ${kept.entries + 1} or exists (
      select from audit_entries e
      where e.company_id = c.company_id and e.sequence = c.start_sequence + 1 and e.at < ${kept.from}
    )
    order by c.company_id
  `.execute(db)
  return rows.map(({ company_id }) => company_id)
}

/** Chains that grew since their head was signed. */
export async function listUnsignedChains(db: Executing, limit: number): Promise<ChainRow[]> {
  const { rows } = await sql<ChainRow>`${acrossCompanies('the worker signs the heads of all chains')}
    select c.* from audit_chains c left join audit_heads h on h.company_id = c.company_id
    where h.sequence is null or h.sequence < c.sequence
    order by h.signed_at nulls first limit ${limit}
  `.execute(db)
  return rows
}

/** Keeps a newer head that another worker has signed meanwhile. */
export async function saveHead(db: Executing, head: HeadRow): Promise<void> {
  await db
    .insertInto('audit_heads')
    .values(head)
    .onConflict((conflict) =>
      conflict.column('company_id').doUpdateSet(head).where('audit_heads.sequence', '<', head.sequence),
    )
    .execute()
}

export const findChain = (db: Executing, companyId: string): Promise<ChainRow | undefined> =>
  db.selectFrom('audit_chains').selectAll().where('company_id', '=', companyId).executeTakeFirst()

export const findHead = (db: Executing, companyId: string): Promise<HeadRow | undefined> =>
  db.selectFrom('audit_heads').selectAll().where('company_id', '=', companyId).executeTakeFirst()

/** Companies with a chain, the deployment's own first. */
export async function listChainCompanies(db: Executing): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_chains')
    .modifyFront(acrossCompanies('the operator verifies all chains'))
    .select('company_id')
    .orderBy('company_id')
    .execute()
  return rows.map(({ company_id }) => company_id)
}

/** The next entries after a number, oldest first. */
export const readEntriesAfter = (
  db: Executing,
  companyId: string,
  { after, limit }: { after: number; limit: number },
): Promise<AuditRow[]> =>
  db
    .selectFrom('audit_entries')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute()

/** A place in the list, which is by time. */
export interface EntryPosition {
  at: Date
  sequence: number
}

export interface EntryFilter {
  companyId: string
  /** Entries before this one in the order of the list. */
  before?: EntryPosition | undefined
  from?: Date | undefined
  to?: Date | undefined
  actorId?: string | undefined
  objectId?: string | undefined
}

/** A further choice among the entries of a stretch: no index has them. */
export interface EntryChoice {
  action?: string | undefined
  objectType?: string | undefined
  /** The last entry that is looked at. */
  last?: EntryPosition | undefined
  limit: number
}

/** Newest first. */
export function listEntries(
  db: Executing,
  filter: EntryFilter,
  { action, objectType, last, limit }: EntryChoice,
): Promise<AuditRow[]> {
  let query = entriesOf(db, filter).selectAll()
  if (action !== undefined) query = query.where('action', '=', action)
  if (objectType !== undefined) query = query.where('object_type', '=', objectType)
  if (last) query = query.where(sql<boolean>`(at, sequence) >= (${last.at}, ${last.sequence})`)
  return query.limit(limit).execute()
}

/** The entry after which `count` of the list are behind a reader; undefined if it has fewer. */
export const findEntryAt = (
  db: Executing,
  filter: EntryFilter,
  count: number,
): Promise<EntryPosition | undefined> =>
  entriesOf(db, filter)
    .select(['at', 'sequence'])
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst()

function entriesOf(db: Executing, filter: EntryFilter) {
  let query = db.selectFrom('audit_entries').where('company_id', '=', filter.companyId)
  const { before } = filter
  if (before) query = query.where(sql<boolean>`(at, sequence) < (${before.at}, ${before.sequence})`)
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from)
  if (filter.to !== undefined) query = query.where('at', '<', filter.to)
  if (filter.actorId !== undefined)
    query = query.where('actor_id', '=', filter.actorId).where('actor_type', '<>', 'service')
  if (filter.objectId !== undefined) query = query.where('object_id', '=', filter.objectId)
  return query.orderBy('at', 'desc').orderBy('sequence', 'desc')
}
