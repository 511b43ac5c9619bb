import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { BlockedDigestsTable } from '../../db/tables/environments.ts'

export type BlockedDigest = Selectable<BlockedDigestsTable>

/** Blocking a blocked digest changes the reason. */
export async function insertBlock(db: Executing, digest: string, reason: string): Promise<void> {
  await db
    .insertInto('blocked_digests')
    .values({ digest, reason })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ reason }))
    .execute()
}

export async function deleteBlock(db: Executing, digest: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('blocked_digests')
    .where('digest', '=', digest)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Newest first. */
export const listBlocks = (db: Executing): Promise<BlockedDigest[]> =>
  db.selectFrom('blocked_digests').selectAll().orderBy('blocked_at', 'desc').execute()

/** All digests that can identify an image of `environment_versions v`. */
const digestsOf = sql`(v.layer_digest, v.promoted_digest, v.composed_execution_digest)`

export async function listVersionsOfDigest(db: Executing, digest: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select ${acrossCompanies('the operator blocks an image for all')} v.id from environment_versions v where ${digest} in ${digestsOf} order by v.id
  `.execute(db)
  return rows.map(({ id }) => id)
}

export async function hasBlockedDigest(
  db: Executing,
  version: { id: string; company_id: string | null },
): Promise<boolean> {
  const { rows } = await sql<{ blocked: boolean }>`
    select exists (
      select 1 from environment_versions v join blocked_digests b on b.digest in ${digestsOf}
      where v.id = ${version.id}
        and coalesce(v.company_id, ${version.company_id}) is not distinct from ${version.company_id}
    ) as blocked
  `.execute(db)
  return rows[0]?.blocked ?? false
}

/** Those of the given environments (the company's or curated) whose newest built version has a blocked image. */
export async function findBlockedEnvironments(
  db: Executing,
  companyId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select requested.id from unnest(${[...ids]}::text[]) as requested (id)
    cross join lateral (
      select security_state from environment_versions
      where environment_id = requested.id and coalesce(company_id, ${companyId}) = ${companyId} and state in ('ready', 'blocked')
      order by version_number desc limit 1
    ) newest
    where newest.security_state = 'blocked'
  `.execute(db)
  return new Set(rows.map(({ id }) => id))
}

interface LockedVersion {
  company_id: string | null
  state: EnvironmentVersionState
  security_state: string
  blocked_from: EnvironmentVersionState | null
}

export async function lockVersionOfAnyCompany(trx: Trx, versionId: string): Promise<LockedVersion> {
  const row = await trx
    .selectFrom('environment_versions')
    .modifyFront(acrossCompanies('the operator blocks an image for all'))
    .select(['company_id', 'state', 'security_state', 'blocked_from'])
    .where('id', '=', versionId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return row as LockedVersion
}

export async function setSecurityState(
  trx: Trx,
  versionId: string,
  security_state: 'clear' | 'blocked',
): Promise<void> {
  await trx
    .updateTable('environment_versions')
    .set({ security_state })
    .where('id', '=', versionId)
    .modifyEnd(acrossCompanies('the operator blocks an image for all'))
    .execute()
}
