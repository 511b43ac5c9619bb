import type { Stretch } from '../../access/directory/platform.ts'
import type { Executing } from '../../db/database.ts'

export interface MemberRow {
  /** Id of the user. The list is ordered by it. */
  id: string
  chatroom_id: string
  display_name: string
  room_manager: boolean
}

interface MemberKey {
  companyId: string
  chatroomId: string
  userId: string
}

const members = (db: Executing, companyId: string) =>
  db
    .selectFrom('chatroom_members as member')
    .innerJoin('users as person', 'person.id', 'member.user_id')
    .select(['person.id', 'member.chatroom_id', 'person.display_name', 'member.room_manager'])
    .where('member.company_id', '=', companyId)

/** Deleted memberships have no row, so the list of retired ones is empty. */
export const listMemberRows = async (
  db: Executing,
  chatroomId: string,
  stretch: Stretch,
): Promise<MemberRow[]> =>
  stretch.lifecycle === 'retired'
    ? []
    : members(db, stretch.companyId)
        .where('member.chatroom_id', '=', chatroomId)
        .where('person.id', '>', stretch.afterId)
        .orderBy('person.id')
        .limit(stretch.limit)
        .execute()

export const findMemberRow = (db: Executing, key: MemberKey): Promise<MemberRow | undefined> =>
  members(db, key.companyId)
    .where('member.chatroom_id', '=', key.chatroomId)
    .where('member.user_id', '=', key.userId)
    .executeTakeFirst()

/** Creates or changes a membership. The caller has verified that the room and the user are in the company. */
export async function putMemberRow(db: Executing, key: MemberKey, roomManager: boolean): Promise<void> {
  await db
    .insertInto('chatroom_members')
    .values({
      chatroom_id: key.chatroomId,
      user_id: key.userId,
      company_id: key.companyId,
      room_manager: roomManager,
    })
    .onConflict((conflict) =>
      conflict.columns(['chatroom_id', 'user_id']).doUpdateSet({ room_manager: roomManager }),
    )
    .execute()
}

export async function deleteMemberRow(db: Executing, key: MemberKey): Promise<void> {
  await db
    .deleteFrom('chatroom_members')
    .where('company_id', '=', key.companyId)
    .where('chatroom_id', '=', key.chatroomId)
    .where('user_id', '=', key.userId)
    .execute()
}

export async function deleteMembersOf(db: Executing, companyId: string, chatroomId: string): Promise<void> {
  await db
    .deleteFrom('chatroom_members')
    .where('company_id', '=', companyId)
    .where('chatroom_id', '=', chatroomId)
    .execute()
}

/** All memberships of the company's live rooms. */
export const allMemberRows = (
  db: Executing,
  companyId: string,
): Promise<{ chatroom_id: string; user_id: string; room_manager: boolean }[]> =>
  db
    .selectFrom('chatroom_members')
    .select(['chatroom_id', 'user_id', 'room_manager'])
    .where('company_id', '=', companyId)
    .execute()
