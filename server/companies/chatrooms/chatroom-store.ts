import { type Selectable, sql } from 'kysely'
import type { Stretch } from '../../access/directory/platform.ts'
import { newId } from '../../base/ids.ts'
import type { Executing } from '../../db/database.ts'
import type { ChatroomsTable } from '../../db/tables/platform.ts'

const columns = [
  'id',
  'company_id',
  'department_id',
  'name',
  'authority_generation',
  'created_at',
  'deleted_at',
] as const

export type ChatroomRow = Pick<Selectable<ChatroomsTable>, (typeof columns)[number]>

interface ChatroomKey {
  companyId: string
  id: string
}

export const insertChatroom = (
  db: Executing,
  room: { companyId: string; departmentId: string; name: string },
): Promise<ChatroomRow> =>
  db
    .insertInto('chatrooms')
    .values({
      id: newId('chatroom'),
      company_id: room.companyId,
      department_id: room.departmentId,
      name: room.name,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()

export const findChatroomRow = (db: Executing, key: ChatroomKey): Promise<ChatroomRow | undefined> =>
  db
    .selectFrom('chatrooms')
    .select(columns)
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .executeTakeFirst()

/** Deleted rooms are listed as retired. */
export const listChatroomRows = (db: Executing, stretch: Stretch): Promise<ChatroomRow[]> =>
  db
    .selectFrom('chatrooms')
    .select(columns)
    .where('company_id', '=', stretch.companyId)
    .$if(stretch.lifecycle === 'active', (query) => query.where('deleted_at', 'is', null))
    .$if(stretch.lifecycle === 'retired', (query) => query.where('deleted_at', 'is not', null))
    .where('id', '>', stretch.afterId)
    .orderBy('id')
    .limit(stretch.limit)
    .execute()

export interface OwnChatroomRow {
  id: string
  name: string
  department_id: string
  department_name: string
  manages: boolean
}

/**
 * Live rooms in which the user is a member or which the user manages. `managed` is the user's departments, or the
 * whole company; `only` names the rooms of a key.
 */
export async function listOwnChatroomRows(
  db: Executing,
  user: { id: string; managed: 'company' | readonly string[]; only: readonly string[] | undefined },
  { companyId, afterId, limit }: Omit<Stretch, 'lifecycle'>,
): Promise<OwnChatroomRow[]> {
  const managed =
    user.managed === 'company' ? sql`true` : sql`room.department_id = any(${user.managed}::text[])`
  const named = user.only === undefined ? sql`true` : sql`room.id = any(${user.only}::text[])`
  const { rows } = await sql<OwnChatroomRow>`
    select room.id, room.name, room.department_id, department.name as department_name,
      (${managed} or coalesce(member.room_manager, false)) as manages
    from chatrooms room
    join departments department
      on department.company_id = room.company_id and department.id = room.department_id
    left join chatroom_members member on member.chatroom_id = room.id and member.user_id = ${user.id}
    where room.company_id = ${companyId} and room.deleted_at is null and room.id > ${afterId}
      and (${managed} or member.user_id is not null) and ${named}
    order by room.id
    limit ${limit}
  `.execute(db)
  return rows
}

export const liveChatroomRows = (db: Executing, companyId: string): Promise<ChatroomRow[]> =>
  db
    .selectFrom('chatrooms')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .execute()

/** Renames or moves a live room. Only a move increments its authority generation. */
export const updateChatroomRow = (
  db: Executing,
  key: ChatroomKey,
  set: { name?: string | undefined; departmentId?: string | undefined },
): Promise<ChatroomRow | undefined> =>
  db
    .updateTable('chatrooms')
    .set({
      ...(set.name !== undefined && { name: set.name }),
      ...(set.departmentId !== undefined && {
        department_id: set.departmentId,
        authority_generation: sql<number>`authority_generation + (department_id <> ${set.departmentId})::int`,
      }),
    })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .where('deleted_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()

/** Deletes a live room. Its row stays, because run records refer to it. */
export const deleteChatroomRow = (
  db: Executing,
  key: ChatroomKey,
  at: Date,
): Promise<ChatroomRow | undefined> =>
  db
    .updateTable('chatrooms')
    .set({ deleted_at: at, authority_generation: sql<number>`authority_generation + 1` })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .where('deleted_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()
