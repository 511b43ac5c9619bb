import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type { RoomOverviewList } from '@sandbox-jobs/contract/resources/runs/room-overview.ts'
import type { Platform } from '../../access/directory/platform.ts'
import type { Principal } from '../../access/principal.ts'
import type { PageRequest } from '../../base/page.ts'
import { listOwnChatrooms } from '../../companies/chatrooms/chatrooms.ts'
import { findRoomActivity } from './room-overview-store.ts'

const quiet = { enabled_jobs: 0, running: 0, queued: 0, last_run_at: null }

/** The rooms of the caller with what goes on in them. */
export async function listRoomOverviews(
  platform: Platform,
  principal: Principal,
  query: PageRequest,
): Promise<RoomOverviewList> {
  const page = await listOwnChatrooms(platform, principal, {
    ...query,
    page_size: query.page_size ?? pageSizeMax,
  })
  const { companyId } = principal
  const activity = await findRoomActivity(platform.db, { companyId, roomIds: page.items.map(({ id }) => id) })
  const byRoom = new Map(activity.map(({ id, ...counts }) => [id, counts]))
  const items = page.items.map((room) => {
    const { enabled_jobs: jobs, last_run_at, ...counts } = byRoom.get(room.id) ?? quiet
    return { ...room, jobs, ...counts, last_run_at: last_run_at?.toISOString() ?? null }
  })
  return { ...page, items }
}
