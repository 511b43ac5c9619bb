import { buildRetryWindowSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { AttemptRow } from './claims/claimed-attempt-store.ts'

/** An attempt, the retry deadline of its version (null: none), and the bytes of its scan report. */
export type AttemptView = AttemptRow & { retryable_until: Date | null; report_total_bytes: number }

/** The version whose attempts are read, and its owner. */
export interface OwnVersion {
  companyId: string
  environmentId: string
  versionId: string
}

/** A curated version belongs to no company and is hidden until it was ready once. */
const selectView = (db: Executing, of: OwnVersion) =>
  db
    .selectFrom('build_attempts as a')
    .innerJoin('environment_versions as v', 'v.id', 'a.environment_version_id')
    .selectAll('a')
    .select([
      sql<Date | null>`case
        when v.state = 'retryable_failed' and a.state in ('customer_failed', 'platform_failed', 'cancelled')
        then v.state_changed_at + ${buildRetryWindowSeconds} * interval '1 second' end`.as('retryable_until'),
      sql<number>`coalesce((
        select sum(o.byte_size) from owned_objects o
        where o.id in (a.report_object_id, a.sbom_object_id) and o.deletion_state = 'active'
      ), 0)::bigint`.as('report_total_bytes'),
    ])
    .where('a.company_id', '=', of.companyId)
    .where('a.environment_version_id', '=', of.versionId)
    .where('v.environment_id', '=', of.environmentId)
    .where((eb) => eb.or([eb('v.company_id', 'is not', null), eb('v.ready_at', 'is not', null)]))

export async function findAttempt(
  db: Executing,
  of: OwnVersion,
  attemptId: string,
): Promise<AttemptView | undefined> {
  return selectView(db, of).where('a.id', '=', attemptId).executeTakeFirst()
}

/** Newest first. */
export async function listAttempts(
  db: Executing,
  of: OwnVersion,
  list: { status: readonly BuildAttemptState[] | undefined; beforeId: string | undefined; limit: number },
): Promise<AttemptView[]> {
  let query = selectView(db, of).orderBy('a.id', 'desc').limit(list.limit)
  if (list.status !== undefined && list.status.length > 0) query = query.where('a.state', 'in', list.status)
  if (list.beforeId !== undefined) query = query.where('a.id', '<', list.beforeId)
  return query.execute()
}

export async function lockAttempt(trx: Trx, companyId: string, id: string): Promise<AttemptRow | undefined> {
  return trx
    .selectFrom('build_attempts')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .forUpdate()
    .executeTakeFirst()
}

/** Locks the attempts of the environment's versions that no worker has started, until the transaction ends. */
export const lockWaitingAttempts = (
  trx: Trx,
  environment: { id: string; company_id: string | null },
): Promise<AttemptRow[]> =>
  trx
    .selectFrom('build_attempts')
    .selectAll()
    .where('state', '=', 'validation_queued')
    .where('environment_version_id', 'in', (eb) =>
      eb
        .selectFrom('environment_versions')
        .select('id')
        .where('environment_id', '=', environment.id)
        .where('company_id', 'is not distinct from', environment.company_id),
    )
    .orderBy('id')
    .forUpdate()
    .execute()

export async function hasLiveAttempt(trx: Trx, companyId: string, versionId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('build_attempts')
    .select('id')
    .where('company_id', '=', companyId)
    .where('environment_version_id', '=', versionId)
    .where('terminal_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** The version's latest attempt; a retry reuses its profile and region. */
export async function findLatestAttempt(
  db: Executing,
  companyId: string,
  versionId: string,
): Promise<AttemptRow | undefined> {
  return db
    .selectFrom('build_attempts')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('environment_version_id', '=', versionId)
    .orderBy('attempt_number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The latest attempt of a curated version, for any company's archive. */
export const findCuratedAttempt = (db: Executing, versionId: string): Promise<AttemptRow | undefined> =>
  db
    .selectFrom('build_attempts')
    .modifyFront(acrossCompanies('the operator reads builds of curated versions'))
    .selectAll()
    .where('environment_version_id', '=', versionId)
    .orderBy('attempt_number', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Number of the company's attempts that no worker has started. */
export async function countWaitingAttempts(trx: Trx, companyId: string): Promise<number> {
  const row = await trx
    .selectFrom('build_attempts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .where('terminal_at', 'is', null)
    .where('state', '=', 'validation_queued')
    .executeTakeFirstOrThrow()
  return row.count
}

export interface NewAttempt {
  id: string
  company_id: string
  environment_version_id: string
  build_region: string
  build_profile: 'standard' | 'fast' | 'large'
  raw_upload_digest: string
}

/** Inserts the attempt under the version's next number. The caller holds a lock on the version's row. */
export async function insertAttempt(trx: Trx, attempt: NewAttempt): Promise<void> {
  await trx
    .insertInto('build_attempts')
    .values((eb) => ({
      ...attempt,
      state: 'validation_queued',
      attempt_number: eb
        .selectFrom('build_attempts')
        .select(sql<number>`coalesce(max(attempt_number), 0) + 1`.as('next'))
        .where('environment_version_id', '=', attempt.environment_version_id)
        .where('company_id', '=', attempt.company_id),
    }))
    .execute()
}
