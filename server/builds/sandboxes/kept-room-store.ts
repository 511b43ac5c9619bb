import { sql } from 'kysely'
import { keptBytesOf, keptLimitOf } from '../../db/kept-bytes.ts'
import type { Build } from '../request/build.ts'

/**
 * Whether the company may keep so many bytes more. Bytes that the version keeps already, because its chain runs again, do
 * not count; a curated version counts to no company. Builds of a company that ask at the same moment do not see each other's
 * bytes.
 */
export async function hasKeptRoom(
  { db, request: { companyId, versionId } }: Pick<Build, 'db' | 'request'>,
  bytes: number,
): Promise<boolean> {
  const company = sql`${companyId}::text`
  const { rows } = await sql<{ room: number | null }>`
    select case when v.id is null or v.company_id is not null then
      ${keptLimitOf(company)} - ${keptBytesOf(company)}
        + case when v.layer_digest is null then 0
          else coalesce(v.compressed_bytes, 0) + coalesce(v.unpacked_bytes, 0) end
      end as room
    from (select) one left join environment_versions v
      on v.id = ${versionId} and (v.company_id = ${companyId} or v.company_id is null)
  `.execute(db)
  const room = rows[0]?.room ?? null
  return room === null || bytes <= room
}
