import { postServiceMessage } from '../agents/turns/messages.ts'
import { findAnnouncing } from '../companies/chatrooms/room-announcements.ts'
import { isByDoor } from './notice.ts'
import type { NoticeSink } from './notifier.ts'

/** Posts a message in the room of each run that ended, where the room wants it, unless it came by a door. */
export const announceRuns: NoticeSink = async (trx, addressed) => {
  const ended = addressed.flatMap(({ notice }) =>
    notice.run && !isByDoor(notice.run) ? [{ notice, run: notice.run }] : [],
  )
  if (ended.length === 0) return
  const companyIds = [...new Set(ended.map(({ run }) => run.company_id))]
  const roomIds = [...new Set(ended.map(({ run }) => run.chatroom_id))]
  const announcing = await findAnnouncing(trx, companyIds, roomIds)
  // In the order of rooms, so that transactions that lock several never wait for each other in a circle.
  const wanted = ended
    .filter(({ run }) => announcing.has(run.chatroom_id))
    .toSorted((a, b) => a.run.chatroom_id.localeCompare(b.run.chatroom_id))
  for (const { notice, run } of wanted) {
    const room = { id: run.chatroom_id, company_id: run.company_id }
    await postServiceMessage(trx, room, { runId: run.id, text: `${notice.title}\n${run.id}` })
  }
}
