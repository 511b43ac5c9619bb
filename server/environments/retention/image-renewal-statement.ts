import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../../db/database.ts'

/**
 * CTEs `blocked_image` and `blocked_renewal`: an event that the image of a version could not be renewed, that is taken from
 * storage again for a host, at most once a day while the version does not become ready again. `of` has the rows `version_id`
 * and `company_id`, and no row where nothing is to be recorded. A curated version has no company, and no event.
 */
export const blockedRenewalCtes = (of: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  blocked_image as (
    update environment_versions v set renewal_blocked_at = now()
    from (${of}) wanted
    where v.id = wanted.version_id and v.company_id = wanted.company_id
      and (v.renewal_blocked_at is null or v.renewal_blocked_at < now() - interval '1 day')
    returning v.company_id, v.id
  ), blocked_renewal as (
    insert into event_outbox (company_id, event, subject_id)
    select company_id, 'image_storage_renewal_blocked', id from blocked_image
  )`

/** The same for one version. */
export const recordBlockedRenewal = (
  trx: Trx,
  version: { id: string; company_id: string | null },
): Promise<unknown> => {
  const of = sql`select ${version.id}::text as version_id, ${version.company_id}::text as company_id`
  return sql`with ${blockedRenewalCtes(of)} select`.execute(trx)
}
