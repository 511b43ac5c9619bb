import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { prepared } from '../../db/fast/prepared.ts'
import { type CallerMembership, joinMembership } from '../authentication/caller-statement.ts'

/** A live chatroom, and the membership of one user in it. */
export interface RoomWithMembership extends CallerMembership {
  id: string
  company_id: string
  name: string
  authority_generation: number
  /** The jobs that the room's agent loads; null: unset. */
  jobs: string[] | null
}

const memberships = (db: Executing, where: { companyId: string; userId: string | null }) =>
  db
    .selectFrom('chatrooms as room')
    .leftJoin('chatroom_members as member', (join) =>
      join.onRef('member.chatroom_id', '=', 'room.id').on('member.user_id', '=', where.userId),
    )
    .select([
      'room.id',
      'room.company_id',
      'room.department_id',
      'room.name',
      'room.authority_generation',
      'room.jobs',
    ])
    .select('member.room_manager')
    .where('room.company_id', '=', where.companyId)
    .where('room.deleted_at', 'is', null)

export interface MembershipLookup {
  companyId: string
  roomId: string
  /** Null to read the room alone. */
  userId: string | null
}

const requestedMemberships = prepared<
  { companyIds: string[]; roomIds: string[]; userIds: (string | null)[] },
  RoomWithMembership & { ordinal: number }
>(
  ({ companyIds, roomIds, userIds }) => sql`
    select requested.ordinal, room.id, room.company_id, room.department_id, room.name, room.authority_generation,
      room.jobs, member.room_manager
    from unnest(${companyIds}::text[], ${roomIds}::text[], ${userIds}::text[])
      with ordinality as requested (company_id, room_id, user_id, ordinal)
    ${joinMembership({ roomId: 'requested.room_id', companyId: 'requested.company_id', userId: 'requested.user_id' })}
    where room.id is not null
  `,
)

/** The live room and the user's membership for each lookup, in one query: every run submission uses it. */
export async function findMemberships(
  db: Executing,
  requested: readonly MembershipLookup[],
): Promise<(RoomWithMembership | undefined)[]> {
  const rows = await requestedMemberships(db, {
    companyIds: requested.map(({ companyId }) => companyId),
    roomIds: requested.map(({ roomId }) => roomId),
    userIds: requested.map(({ userId }) => userId),
  })
  const byOrdinal = new Map(rows.map(({ ordinal, ...membership }) => [ordinal, membership]))
  return requested.map((_, at) => byOrdinal.get(at + 1))
}

/** The same for one lookup. */
export const findRoomMembership = async (
  db: Executing,
  requested: MembershipLookup,
): Promise<RoomWithMembership | undefined> => (await findMemberships(db, [requested]))[0]

/** The same for several rooms of one user; those that are not live are absent. */
export const findRoomMemberships = async (
  db: Executing,
  where: { companyId: string; roomIds: readonly string[]; userId: string },
): Promise<RoomWithMembership[]> =>
  where.roomIds.length === 0 ? [] : memberships(db, where).where('room.id', 'in', where.roomIds).execute()

export function findDepartment(
  db: Executing,
  companyId: string,
  id: string,
): Promise<{ id: string; name: string } | undefined> {
  return db
    .selectFrom('departments')
    .select(['id', 'name'])
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Names of rooms, departments or users of one company by their ids; deleted rooms keep their names. */
export async function findNames(
  db: Executing,
  table: 'chatrooms' | 'departments' | 'users',
  where: { companyId: string; ids: readonly string[] },
): Promise<Map<string, string>> {
  if (where.ids.length === 0) return new Map()
  const rows =
    table === 'users'
      ? await db
          .selectFrom('users')
          .select(['id', 'display_name as name'])
          .where('company_id', '=', where.companyId)
          .where('id', 'in', where.ids)
          .execute()
      : await db
          .selectFrom(table)
          .select(['id', 'name'])
          .where('company_id', '=', where.companyId)
          .where('id', 'in', where.ids)
          .execute()
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** Ids of the live rooms that `userId` is a member of, or manages as a flagged member. */
export async function findRoomIdsOf(
  db: Executing,
  where: { companyId: string; userId: string; flagged?: true },
): Promise<string[]> {
  const rows = await db
    .selectFrom('chatroom_members as member')
    .innerJoin('chatrooms as room', 'room.id', 'member.chatroom_id')
    .select('room.id')
    .where('room.company_id', '=', where.companyId)
    .where('room.deleted_at', 'is', null)
    .where('member.user_id', '=', where.userId)
    .$if(where.flagged === true, (query) => query.where('member.room_manager', '=', true))
    .orderBy('room.id')
    .execute()
  return rows.map((row) => row.id)
}

/** Ids of the live rooms of `departmentIds`. */
export async function findRoomIdsIn(
  db: Executing,
  where: { companyId: string; departmentIds: readonly string[] },
): Promise<string[]> {
  if (where.departmentIds.length === 0) return []
  const rows = await db
    .selectFrom('chatrooms')
    .select('id')
    .where('company_id', '=', where.companyId)
    .where('department_id', 'in', where.departmentIds)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}
