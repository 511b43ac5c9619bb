import { type Expression, type SqlBool, sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { isFavoriteOf } from './favorite-store.ts'

/** The job settings of a live room. */
export interface RoomJobs {
  id: string
  name: string
  department_id: string
  jobs: string[] | null
  jobs_updated_at: Date | null
}

const columns = ['id', 'name', 'department_id', 'jobs', 'jobs_updated_at'] as const

/** Writes `jobs` and `jobs_updated_at` of `chatrooms`. `chatroom-store` never writes these columns. */
export const setRoomJobs = (
  db: Executing,
  room: { companyId: string; id: string },
  set: { jobs: string[] | null; jobs_updated_at: Date },
): Promise<RoomJobs | undefined> =>
  db
    .updateTable('chatrooms')
    .set(set)
    .where('company_id', '=', room.companyId)
    .where('id', '=', room.id)
    .where('deleted_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()

/** The jobs of a live room; undefined where there is none, null where they were never set. */
export async function findRoomJobs(
  db: Executing,
  room: { companyId: string; id: string },
): Promise<string[] | null | undefined> {
  const row = await db
    .selectFrom('chatrooms')
    .select('jobs')
    .where('company_id', '=', room.companyId)
    .where('id', '=', room.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.jobs
}

export interface JobRoomFilter {
  companyId: string
  job: string
  /** Only rooms of which this user is a member. */
  memberId?: string | undefined
  departmentId?: string | undefined
}

/** A room without a stored setting has not explicitly enabled any job. */
const matching = (filter: JobRoomFilter): Expression<SqlBool> => {
  const all = [
    sql`chatrooms.company_id = ${filter.companyId}`,
    sql`chatrooms.deleted_at is null`,
    sql`${filter.job} = any(chatrooms.jobs)`,
  ]
  if (filter.departmentId !== undefined) all.push(sql`chatrooms.department_id = ${filter.departmentId}`)
  if (filter.memberId !== undefined) {
    all.push(sql`exists (
      select from chatroom_members member
      where member.chatroom_id = chatrooms.id and member.user_id = ${filter.memberId})`)
  }
  return sql<SqlBool>`${sql.join(all, sql` and `)}`
}

/** Ordered by name, those that the person has marked before the others. */
export const listJobRooms = (
  db: Executing,
  filter: JobRoomFilter,
  stretch: { personId: string; offset: number; limit: number; order: 'asc' | 'desc' },
): Promise<RoomJobs[]> =>
  db
    .selectFrom('chatrooms')
    .select(columns)
    .where(matching(filter))
    .orderBy(isFavoriteOf(stretch.personId), 'desc')
    .orderBy('name', stretch.order)
    .orderBy('id', stretch.order)
    .offset(stretch.offset)
    .limit(stretch.limit)
    .execute()

export async function countJobRooms(db: Executing, filter: JobRoomFilter): Promise<number> {
  const { num } = await db
    .selectFrom('chatrooms')
    .select((eb) => eb.fn.countAll<number>().as('num'))
    .where(matching(filter))
    .executeTakeFirstOrThrow()
  return num
}
