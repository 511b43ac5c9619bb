import { messageLifetimeDays, pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type {
  MessagePostRequest,
  PostedMessage,
  RoomMessageList,
} from '@sandbox-jobs/contract/resources/agents/message.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { HumanTurn, Principal } from '../../access/principal.ts'
import { signTurn } from '../../access/turns.ts'
import { type Clock, dayMs } from '../../base/clock.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import type { PageRequest, PageTokens } from '../../base/page.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Database, Trx } from '../../db/database.ts'
import { inBatches } from '../../work/sweep.ts'
import { deleteOldMessages, insertMessage, insertServiceMessage, listMessageRows } from './message-store.ts'

export interface MessageDeps {
  db: Database
  directory: Directory
  clock: Clock
  signed: SignedTokens
}

/** A message counts as its text and this. */
const messageOverheadBytes = 1024

/**
 * Stores a message of the principal in a room, which starts a turn, and returns its signed context (contract part 3, D2).
 * Throws `not_found` or `storage_quota_exceeded`.
 */
export async function postMessage(
  deps: MessageDeps,
  principal: Principal,
  chatroomId: string,
  request: MessagePostRequest,
): Promise<PostedMessage> {
  const turn = await startTurn(deps, principal, chatroomId, request.text)
  const { turnContext, expiresAt } = signTurn(deps, principal, turn)
  return {
    message_id: turn.messageId,
    sequence: turn.sequence,
    turn_context: turnContext,
    expires_at: expiresAt.toISOString(),
  }
}

/** The turn that a message of the principal starts. */
export async function startTurn(
  deps: MessageDeps,
  principal: Principal,
  chatroomId: string,
  text: string,
): Promise<HumanTurn> {
  const room = await deps.directory.requireRoom(principal, 'message.post', chatroomId)
  return deps.db.transaction().execute((trx) => startTurnIn(trx, principal, room, text))
}

/** The same within a larger transaction, in a room of which it is known that the principal may post there. */
export async function startTurnIn(
  trx: Trx,
  principal: Principal,
  room: { id: string; company_id: string },
  text: string,
): Promise<HumanTurn> {
  await requireStorageQuota(trx, room.company_id, messageOverheadBytes + Buffer.byteLength(text))
  const { id, sequence } = await insertMessage(trx, room, { principal, text })
  return { roomId: room.id, messageId: id, sequence }
}

/** A message of the service about a run, within a larger transaction. It is no turn: nothing signs a context for it. */
export const postServiceMessage = (
  trx: Trx,
  room: { id: string; company_id: string },
  message: { runId: string; text: string },
): Promise<void> => insertServiceMessage(trx, room, message)

const sweepBatch = 1000

/** One round of the loop that deletes messages after their time. */
export async function sweepMessages({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ messages: number }> {
  const before = new Date(clock.now().getTime() - messageLifetimeDays * dayMs)
  return { messages: await inBatches(sweepBatch, (limit) => deleteOldMessages(db, before, limit)) }
}

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
