import { type Selectable, sql } from 'kysely'
import type { Principal } from '../../access/principal.ts'
import { newId } from '../../base/ids.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { RoomMessagesTable } from '../../db/tables/agents.ts'

/** Writes the tables `room_messages` and `room_sequences`. */

/**
 * The number of the last message of the room. No message is posted until the transaction ends, and one that is being posted comes
 * first. A room without messages loses its first number to that: there has to be a row to lock.
 */
export async function lockLastSequence(trx: Trx, room: { id: string; company_id: string }): Promise<number> {
  await trx
    .insertInto('room_sequences')
    .values({ chatroom_id: room.id, company_id: room.company_id, last_sequence: 1 })
    .onConflict((conflict) => conflict.column('chatroom_id').doNothing())
    .execute()
  const { last_sequence } = await trx
    .selectFrom('room_sequences')
    .select('last_sequence')
    .where('chatroom_id', '=', room.id)
    .where('company_id', '=', room.company_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return last_sequence
}

/** Stores a message of a person under the next number of its room. Messages of one room wait for each other. */
export async function insertMessage(
  trx: Trx,
  room: { id: string; company_id: string },
  { principal, text }: { principal: Principal; text: string },
): Promise<{ id: string; sequence: number }> {
  const sequence = await nextSequence(trx, room)
  const id = newId('message')
  await trx
    .insertInto('room_messages')
    .values({
      id,
      company_id: room.company_id,
      chatroom_id: room.id,
      sequence,
      principal_type: principal.principalType,
      principal_id: principal.principalId,
      gateway_key_id: principal.gatewayKeyId ?? null,
      text,
      run_id: null,
    })
    .execute()
  return { id, sequence }
}

async function nextSequence(trx: Trx, room: { id: string; company_id: string }): Promise<number> {
  const { last_sequence } = await trx
    .insertInto('room_sequences')
    .values({ chatroom_id: room.id, company_id: room.company_id, last_sequence: 1 })
    .onConflict((conflict) =>
      conflict.column('chatroom_id').doUpdateSet({ last_sequence: sql`room_sequences.last_sequence + 1` }),
    )
    .returning('last_sequence')
    .executeTakeFirstOrThrow()
  return last_sequence
}

/** Stores a message of the service about a run, once for each run. It starts no turn. */
export async function insertServiceMessage(
  trx: Trx,
  room: { id: string; company_id: string },
  { runId, text }: { runId: string; text: string },
): Promise<void> {
  const sequence = await nextSequence(trx, room)
  await trx
    .insertInto('room_messages')
    .values({
      id: newId('message'),
      company_id: room.company_id,
      chatroom_id: room.id,
      sequence,
      principal_type: 'system',
      principal_id: 'system',
      gateway_key_id: null,
      text,
      run_id: runId,
    })
    .execute()
}

export type MessageRow = Selectable<RoomMessagesTable>

/** In the order of their numbers. */
export const listMessageRows = (
  db: Executing,
  room: { id: string; company_id: string },
  list: { after: number; limit: number },
): Promise<MessageRow[]> =>
  db
    .selectFrom('room_messages')
    .selectAll()
    .where('chatroom_id', '=', room.id)
    .where('company_id', '=', room.company_id)
    .where('sequence', '>', list.after)
    .orderBy('sequence')
    .limit(list.limit)
    .execute()

/** Deletes at most `limit` messages from before a time, oldest first. */
export async function deleteOldMessages(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from room_messages where id in (
      select id from room_messages where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
