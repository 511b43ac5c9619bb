import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type { RoomMessageList } from '@sandbox-jobs/contract/resources/agents/message.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import type { PageRequest, PageTokens } from '../../base/page.ts'
import type { Database } from '../../db/database.ts'
import { listMessageRows } from './message-store.ts'

/** Messages of a room in their order, for the people of the room. Throws `not_found`. */
export async function listMessages(
  { db, directory, pages }: { db: Database; directory: Directory; pages: PageTokens },
  principal: Principal,
  chatroomId: string,
  query: PageRequest & { after_sequence?: number | undefined },
): Promise<RoomMessageList> {
  const room = await directory.requireRoom(principal, 'message.list', chatroomId)
  const size = query.page_size ?? pageSizeMax
  const list = `messages:${room.id}`
  const [cursor = query.after_sequence ?? 0] = pages.read(list, query.page_token) ?? []
  const rows = await listMessageRows(db, room, { after: Number(cursor), limit: size + 1 })
  return pages.page(list, rows, size, {
    item: (row) => ({
      message_id: row.id,
      sequence: row.sequence,
      author_type: row.principal_type,
      author_id: row.principal_type === 'system' ? null : row.principal_id,
      run_id: row.run_id,
      text: row.text,
      created_at: row.created_at.toISOString(),
    }),
    cursor: (row) => [row.sequence],
  })
}
