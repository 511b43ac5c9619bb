import { type RawBuilder, sql } from 'kysely'
import type { BenchTenant } from '../service/tenants.ts'

/**
 * The rooms of the companies as rows (id, company_id, user_id, task_id, version_id, environment_version_id, share_id, ordinal) of a
 * statement, and their number: run `n` belongs to the room whose ordinal is `n % count + 1`.
 */
export function roomsInTurn(tenants: readonly BenchTenant[]): { rows: RawBuilder<unknown>; count: number } {
  const rooms = tenants.flatMap((tenant) => tenant.roomIds.map((roomId) => ({ ...tenant, roomId })))
  const rows = sql`
        select * from unnest(
          ${rooms.map((room) => room.roomId)}::text[], ${rooms.map((room) => room.companyId)}::text[],
          ${rooms.map((room) => room.member.principalId)}::text[], ${rooms.map((room) => room.taskId)}::text[],
          ${rooms.map((room) => room.taskVersionId)}::text[],
          ${rooms.map((room) => room.environmentVersionId)}::text[],
          ${rooms.map((room) => room.shareGrantId)}::text[]
        ) with ordinality as r (id, company_id, user_id, task_id, version_id, environment_version_id, share_id, ordinal)`
  return { rows, count: rooms.length }
}
