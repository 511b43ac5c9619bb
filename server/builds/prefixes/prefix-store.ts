import type { Envelope } from '@sandbox-jobs/contract/resources/provenance.ts'
import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/* Which prefixes a company has. The company is part of every question; what one is made of is read from what was signed. */

export interface PrefixRow {
  key: string
  envelope: Envelope
}

/** A prefix of a company, by all that it depends on. */
export interface PrefixName {
  companyId: string
  key: string
}

/** Where the prefix is stored: a tar, compressed. */
export const prefixObjectKey = ({ companyId, key }: PrefixName): string =>
  `prefixes/${companyId}/${key.slice('sha256:'.length)}.tar.zst`

/** Those of the keys that the company has something of. */
export async function findPrefixes(
  db: Executing,
  { companyId, keys }: { companyId: string; keys: string[] },
): Promise<PrefixRow[]> {
  if (keys.length === 0) return []
  return db
    .selectFrom('build_prefixes')
    .select(['key', 'envelope'])
    .where('company_id', '=', companyId)
    .where('key', 'in', keys)
    .execute()
}

export async function notePrefix(
  db: Executing,
  prefix: PrefixName & { attemptId: string; byteSize: number; envelope: Envelope },
): Promise<void> {
  const { companyId: company_id, key, attemptId: attempt_id, byteSize: byte_size } = prefix
  const kept = { attempt_id, byte_size, envelope: JSON.stringify(prefix.envelope) }
  await db
    .insertInto('build_prefixes')
    .values({ company_id, key, ...kept })
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'key']).doUpdateSet({ ...kept, used_at: sql<Date>`now()` }),
    )
    .execute()
}

/** A build takes it, so it is kept for longer. */
export async function notePrefixUsed(db: Executing, { companyId, key }: PrefixName): Promise<void> {
  await db
    .updateTable('build_prefixes')
    .set({ used_at: sql<Date>`now()` })
    .where('company_id', '=', companyId)
    .where('key', '=', key)
    .execute()
}

export async function forgetPrefix(db: Executing, { companyId, key }: PrefixName): Promise<void> {
  await db.deleteFrom('build_prefixes').where('company_id', '=', companyId).where('key', '=', key).execute()
}

/**
 * Takes rows out and answers them: of what no build has used since `before`, and of what a company has beyond
 * `companyBytes`, the longest unused first.
 */
export async function takeStalePrefixes(
  db: Executing,
  { before, companyBytes, limit }: { before: Date; companyBytes: number; limit: number },
): Promise<PrefixName[]> {
  const { rows } = await sql<PrefixName>`
    delete from build_prefixes where (company_id, key) in (
      select company_id, key from (
        select company_id, key, used_at,
          sum(byte_size) over (partition by company_id order by used_at desc, key) as bytes
        from build_prefixes
      ) as newest
      where used_at < ${before} or bytes > ${companyBytes}
      limit ${limit}
    )
    returning company_id as "companyId", key
  `.execute(db)
  return rows
}
