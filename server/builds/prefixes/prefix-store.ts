import type { Envelope } from '@sandbox-jobs/contract/resources/provenance.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import { keptLimitOf } from '../../db/kept-bytes.ts'
import { isDue } from '../../queue/removal-failures.ts'

/* Which prefixes a company has. The company is part of every question; what one is made of is read from what was signed. */

/** A prefix of a company, by all that it depends on, as one attempt made it. */
export interface PrefixName {
  companyId: string
  key: string
  attemptId: string
}

export interface PrefixRow extends PrefixName {
  envelope: Envelope
}

/** Where the prefix is stored: a tar, compressed. Attempts that make the same at once have an object each. */
export const prefixObjectKey = ({ companyId, key, attemptId }: PrefixName): string =>
  `prefixes/${companyId}/${key.slice('sha256:'.length)}/${attemptId}.tar.zst`

/** What the company has of these keys, the last used first. */
export async function findPrefixes(
  db: Executing,
  { companyId, keys }: { companyId: string; keys: string[] },
): Promise<PrefixRow[]> {
  if (keys.length === 0) return []
  return db
    .selectFrom('build_prefixes')
    .select(['company_id as companyId', 'key', 'attempt_id as attemptId', 'envelope'])
    .where('company_id', '=', companyId)
    .where('key', 'in', keys)
    .where('envelope', 'is not', null)
    .orderBy('used_at', 'desc')
    .$narrowType<PrefixRow>()
    .execute()
}

/** Says that an object of this name will be stored, so that one whose worker dies before it is noted goes in its time. */
export async function announcePrefix(
  db: Executing,
  prefix: PrefixName & { byteSize: number },
): Promise<void> {
  const { companyId: company_id, key, attemptId: attempt_id, byteSize: byte_size } = prefix
  await db
    .insertInto('build_prefixes')
    .values({ company_id, key, attempt_id, byte_size, envelope: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function notePrefix(
  db: Executing,
  prefix: PrefixName & { byteSize: number; envelope: Envelope },
): Promise<void> {
  const { companyId: company_id, key, attemptId: attempt_id, byteSize: byte_size } = prefix
  const kept = { byte_size, envelope: JSON.stringify(prefix.envelope) }
  await db
    .insertInto('build_prefixes')
    .values({ company_id, key, attempt_id, ...kept })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'key', 'attempt_id'])
        .doUpdateSet({ ...kept, used_at: sql<Date>`now()` }),
    )
    .execute()
}

/** A build takes it, so it is kept for longer. */
export async function notePrefixUsed(
  db: Executing,
  { companyId, key, attemptId }: PrefixName,
): Promise<void> {
  await db
    .updateTable('build_prefixes')
    .set({ used_at: sql<Date>`now()` })
    .where('company_id', '=', companyId)
    .where('key', '=', key)
    .where('attempt_id', '=', attemptId)
    .execute()
}

export async function forgetPrefix(db: Executing, { companyId, key, attemptId }: PrefixName): Promise<void> {
  await db
    .deleteFrom('build_prefixes')
    .where('company_id', '=', companyId)
    .where('key', '=', key)
    .where('attempt_id', '=', attemptId)
    .execute()
}

export const prefixId = ({ companyId, key, attemptId }: PrefixName): string =>
  `prefix:${companyId}:${key}:${attemptId}`

/**
 * What no build has used since `before`, and what a company has beyond `companyBytes` or a quarter of what it may keep,
 * the longest unused first.
 */
export async function listStalePrefixes(
  db: Executing,
  { before, now, companyBytes, limit }: { before: Date; now: Date; companyBytes: number; limit: number },
): Promise<PrefixName[]> {
  const { rows } = await sql<PrefixName>`${acrossCompanies('a sweep of all companies')}
    select company_id as "companyId", key, attempt_id as "attemptId" from (
      select company_id, key, attempt_id, used_at,
        sum(byte_size) over (partition by company_id order by used_at desc, key, attempt_id) as bytes
      from build_prefixes
    ) as newest
    where (used_at < ${before} or bytes > least(${companyBytes}::bigint, coalesce(${keptLimitOf(sql`newest.company_id`)} / 4, ${companyBytes}::bigint)))
      and ${isDue(sql`'prefix:' || company_id || ':' || key || ':' || attempt_id`, now)}
    order by used_at limit ${limit}
  `.execute(db)
  return rows
}
