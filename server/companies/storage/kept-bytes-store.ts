import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import { keptBytesOf, keptLimitOf } from '../../db/kept-bytes.ts'
import type { Fold } from '../../work/fold-changes.ts'

/*
 * Writes `kept_bytes` and `storage_bounds`. Triggers insert the rows of `kept_byte_changes`
 * (`db/schema/counting.sql`).
 */

export interface StorageUsage {
  keptBytes: number
  /** Null: no limit. */
  limitBytes: number | null
}

export async function readStorageUsage(db: Executing, companyId: string): Promise<StorageUsage> {
  const company = sql`${companyId}::text`
  const { rows } = await sql<StorageUsage>`
    select ${keptBytesOf(company)} as "keptBytes", ${keptLimitOf(company)} as "limitBytes"
  `.execute(db)
  return rows[0] ?? { keptBytes: 0, limitBytes: null }
}

/** Stored bytes of a company by kind, largest first. */
export async function listKeptKinds(
  db: Executing,
  companyId: string,
): Promise<{ kind: string; bytes: number }[]> {
  const { rows } = await sql<{ kind: string; bytes: number }>`
    select kind, sum(bytes)::bigint as bytes from (
      select kind, bytes from kept_bytes where company_id = ${companyId}
      union all select kind, bytes from kept_byte_changes where company_id = ${companyId}
    ) parts group by kind having sum(bytes) <> 0 order by 2 desc, 1
  `.execute(db)
  return rows
}

export interface CompanyStorageUsage {
  company_id: string
  name: string
  kept_bytes: number
  /** Null: no limit. */
  limit_bytes: number | null
}

/** The companies with the most stored bytes. */
export async function listLargestCompanies(db: Executing, limit: number): Promise<CompanyStorageUsage[]> {
  const { rows } = await sql<CompanyStorageUsage>`${acrossCompanies('the operator asks for all companies')}
    select c.id as company_id, c.name, kept.bytes as kept_bytes, ${keptLimitOf(sql`c.id`)} as limit_bytes
    from (
      select company_id, sum(bytes)::bigint as bytes from (
        select company_id, bytes from kept_bytes union all select company_id, bytes from kept_byte_changes
      ) parts group by company_id
    ) kept join companies c on c.id = kept.company_id
    order by kept.bytes desc, c.id limit ${limit}
  `.execute(db)
  return rows
}

/** Recorded changes, and the totals they are added to. */
export const keptBytesFold: Fold = {
  changes: 'kept_byte_changes',
  totals: 'kept_bytes',
  key: { kind: 'column' },
  sums: { bytes: 'column' },
}

export interface Drift {
  company_id: string
  kind: string
  counted_bytes: number
  found_bytes: number
}

/**
 * Compares the totals with the existing rows and records each difference as a change. This is one statement, so both
 * sides come from one snapshot and concurrent writes appear in neither.
 */
export async function recountKeptBytes(db: Executing): Promise<Drift[]> {
  const { rows } = await sql<Drift>`${acrossCompanies('a sweep of all companies')}
    with found as (
      select company_id, kind, sum(bytes)::bigint as bytes from kept_sources group by company_id, kind
    ), counted as (
      select company_id, kind, sum(bytes)::bigint as bytes from (
        select * from kept_bytes union all select * from kept_byte_changes
      ) parts group by company_id, kind
    ), drift as (
      select company_id, kind, coalesce(counted.bytes, 0) as counted_bytes, coalesce(found.bytes, 0) as found_bytes
      from found full join counted using (company_id, kind)
      where coalesce(found.bytes, 0) <> coalesce(counted.bytes, 0)
    ), noted as (
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, kind, found_bytes - counted_bytes from drift
    )
    select * from drift order by company_id, kind
  `.execute(db)
  return rows
}

/** Default limit of a company without its own. */
export async function setDefaultBytes(db: Executing, companyBytes: number): Promise<void> {
  await db
    .insertInto('storage_bounds')
    .values({ company_bytes: companyBytes })
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet({ company_bytes: companyBytes }))
    .execute()
}
