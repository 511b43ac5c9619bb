import type { RoomNotifications } from '@sandbox-jobs/contract/resources/agents/message.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Database } from '../../db/database.ts'
import { findAnnouncing, setAnnouncesRuns } from './room-announcement-store.ts'

interface AnnouncementDeps {
  db: Database
  directory: Directory
}

/** Whether the ends of runs are announced in a room, for its people. Throws `not_found`. */
export async function readRoomNotifications(
  { db, directory }: AnnouncementDeps,
  principal: Principal,
  chatroomId: string,
): Promise<RoomNotifications> {
  const room = await directory.requireRoom(principal, 'room.read_notifications', chatroomId)
  const announcing = await findAnnouncing(db, [room.company_id], [room.id])
  return { announces_runs: announcing.has(room.id) }
}

/** Sets it, for managers of the room. Throws `not_found`. */
export async function updateRoomNotifications(
  { db, directory }: AnnouncementDeps,
  principal: Principal,
  chatroomId: string,
  { announces_runs }: RoomNotifications,
): Promise<RoomNotifications> {
  const room = await directory.requireRoom(principal, 'room.set_notifications', chatroomId)
  if (!(await setAnnouncesRuns(db, room, announces_runs))) throw notFound()
  return { announces_runs }
}

export { findAnnouncing } from './room-announcement-store.ts'
