import { type RawBuilder, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'

/*
 * Writes the columns of `environment_versions` about its hand-over to a newer runner, and the events of hand-overs.
 *
 *   handoff_since set ── (the same archive fails to build: handoff_failed_at set) ── superseded, or (days pass) both null
 */

/** How long a version may take to move to a newer runner. */
const handoffDays = 30

/** An open hand-over, and an event, for each environment whose current version is on another runner than this newer one. */
export const offerHandoffs = (trx: Trx, release: string): Promise<unknown> =>
  sql`${acrossCompanies('a release of the deployment')}
    with offered as (
      update environment_versions v set handoff_since = now(), handoff_failed_at = null
      from environments e
      where e.current_version_id = v.id and e.company_id is not null and e.state = 'active'
        and v.runner_release is distinct from ${release}
      returning v.company_id, v.id
    )
    insert into event_outbox (company_id, event, subject_id)
    select company_id, 'runner_replacement_available', id from offered
  `.execute(trx)

/**
 * Records that the build of a version failed that was to replace an older one on a newer runner. The first failure of a
 * hand-over is an event; the builds themselves have their own.
 */
export const failHandoff = (
  trx: Trx,
  { versionId, companyId }: { versionId: string; companyId: string },
): Promise<unknown> =>
  sql`
    with failed as (
      update environment_versions o set handoff_failed_at = now()
      from environment_versions n
      where n.id = ${versionId} and n.company_id = ${companyId} and o.company_id = ${companyId}
        and o.environment_id = n.environment_id and o.source_digest = n.source_digest
        and o.resource_profile = n.resource_profile and o.version_number < n.version_number
        and o.state = 'ready' and o.handoff_failed_at is null and o.handoff_since is not null
      returning o.company_id, o.id
    )
    insert into event_outbox (company_id, event, subject_id)
    select company_id, 'runner_handoff_failed', id from failed
  `.execute(trx)

const isOverdue: RawBuilder<boolean> = sql`v.handoff_since <= now() - make_interval(days => ${handoffDays})`

/**
 * Ends the hand-overs whose time is over, with an event for each version that is still the current one of its environment.
 * Returns how many ended.
 */
export async function endOverdueHandoffs(db: Executing, limit: number): Promise<number> {
  const { rows } = await sql<{ ended: number }>`${acrossCompanies('a sweep of all companies')}
    with due as (
      select v.id, v.company_id, v.state = 'ready' and e.state = 'active' and e.current_version_id = v.id as is_open
      from environment_versions v join environments e on e.id = v.environment_id
      where ${isOverdue} order by v.handoff_since limit ${limit} for update of v skip locked
    ), ended as (
      update environment_versions v set handoff_since = null, handoff_failed_at = null
      from due where v.id = due.id and v.company_id = due.company_id
    ), expired as (
      insert into event_outbox (company_id, event, subject_id)
      select company_id, 'runner_handoff_expired', id from due where is_open
    )
    select count(*)::int as ended from due
  `.execute(db)
  return rows[0]?.ended ?? 0
}
