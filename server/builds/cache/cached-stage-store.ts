import type { Envelope } from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import { keptLimitOf } from '../../db/kept-bytes.ts'
import { isDue } from '../../work/removal.ts'
import { isNetworkTooOld } from './network-age-statement.ts'

/* The cached stages of each company. Every query names the company; the content is read from the signed record. */

/** A cached stage: its company, the key of its inputs, and the attempt that made it. */
export interface CachedStageName {
  companyId: string
  key: string
  attemptId: string
}

export interface CachedStageRow extends CachedStageName {
  envelope: Envelope
  /** When the oldest build started that ran one of its steps with a network; null: none had one. */
  networkSince: Date | null
}

/** Storage key of the compressed tar. Attempts that make the same stage concurrently write separate objects. */
export const cachedStageKey = ({ companyId, key, attemptId }: CachedStageName): string =>
  `prefixes/${companyId}/${key.slice('sha256:'.length)}/${attemptId}.tar.zst`

/** The company's cached stages with these keys, most recently used first, without those too old for a network. */
export async function findCachedStages(
  db: Executing,
  { companyId, keys }: { companyId: string; keys: string[] },
): Promise<CachedStageRow[]> {
  if (keys.length === 0) return []
  return db
    .selectFrom('build_prefixes')
    .select(['company_id as companyId', 'key', 'attempt_id as attemptId', 'envelope'])
    .select('network_since as networkSince')
    .where('company_id', '=', companyId)
    .where('key', 'in', keys)
    .where('envelope', 'is not', null)
    .where((eb) => eb.not(isNetworkTooOld('build_prefixes')))
    .orderBy('used_at', 'desc')
    .$narrowType<CachedStageRow>()
    .execute()
}

/** Records that an object of this name will be stored, so that the sweep finds it if the worker dies first. */
export async function announceCachedStage(
  db: Executing,
  stage: CachedStageName & { byteSize: number },
): Promise<void> {
  const { companyId: company_id, key, attemptId: attempt_id, byteSize: byte_size } = stage
  await db
    .insertInto('build_prefixes')
    .values({ company_id, key, attempt_id, byte_size, envelope: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function recordCachedStage(
  db: Executing,
  stage: CachedStageRow & { byteSize: number },
): Promise<void> {
  const { companyId: company_id, key, attemptId: attempt_id, byteSize: byte_size } = stage
  const network_since = stage.networkSince
  const stored = { byte_size, envelope: JSON.stringify(stage.envelope), network_since }
  await db
    .insertInto('build_prefixes')
    .values({ company_id, key, attempt_id, ...stored })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'key', 'attempt_id'])
        .doUpdateSet({ ...stored, used_at: sql<Date>`now()` }),
    )
    .execute()
}

/** Records that a build uses the stage, so that it stays in the cache longer. */
export async function recordStageUse(
  db: Executing,
  { companyId, key, attemptId }: CachedStageName,
): Promise<void> {
  await db
    .updateTable('build_prefixes')
    .set({ used_at: sql<Date>`now()` })
    .where('company_id', '=', companyId)
    .where('key', '=', key)
    .where('attempt_id', '=', attemptId)
    .execute()
}

export async function forgetCachedStage(
  db: Executing,
  { companyId, key, attemptId }: CachedStageName,
): Promise<void> {
  await db
    .deleteFrom('build_prefixes')
    .where('company_id', '=', companyId)
    .where('key', '=', key)
    .where('attempt_id', '=', attemptId)
    .execute()
}

export const cachedStageId = ({ companyId, key, attemptId }: CachedStageName): string =>
  `prefix:${companyId}:${key}:${attemptId}`

/**
 * Stages that no build has used since `before`, those too old for a network, and stages of a company beyond `companyBytes` or a quarter of its storage
 * limit, the least recently used first.
 */
export async function listStaleStages(
  db: Executing,
  { before, now, companyBytes, limit }: { before: Date; now: Date; companyBytes: number; limit: number },
): Promise<CachedStageName[]> {
  const { rows } = await sql<CachedStageName>`${acrossCompanies('a sweep of all companies')}
    select company_id as "companyId", key, attempt_id as "attemptId" from (
      select company_id, key, attempt_id, used_at, network_since,
        sum(byte_size) over (partition by company_id order by used_at desc, key, attempt_id) as bytes
      from build_prefixes
    ) as newest
    where (used_at < ${before} or ${isNetworkTooOld('newest')} or bytes > least(${companyBytes}::bigint, coalesce(${keptLimitOf(sql`newest.company_id`)} / 4, ${companyBytes}::bigint)))
      and ${isDue(sql`'prefix:' || company_id || ':' || key || ':' || attempt_id`, now)}
    order by used_at limit ${limit}
  `.execute(db)
  return rows
}

/** Keys of the cache points that the last build of the environment passed. */
export async function readBuiltStages(db: Executing, environmentId: string): Promise<string[]> {
  const row = await db
    .selectFrom('built_prefixes')
    .select('keys')
    .where('environment_id', '=', environmentId)
    .executeTakeFirst()
  return row?.keys ?? []
}

export async function recordBuiltStages(db: Executing, environmentId: string, keys: string[]): Promise<void> {
  await db
    .insertInto('built_prefixes')
    .values({ environment_id: environmentId, keys })
    .onConflict((conflict) =>
      conflict.column('environment_id').doUpdateSet({ keys, noted_at: sql<Date>`now()` }),
    )
    .execute()
}

export async function deleteStaleBuiltStages(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from built_prefixes where environment_id in (
      select environment_id from built_prefixes where noted_at < ${before} limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
