import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type { Order } from '@sandbox-jobs/contract/pagination.ts'
import type {
  ChatroomJobs,
  ChatroomJobsUpdate,
  JobChatroomList,
} from '@sandbox-jobs/contract/resources/chatroom-jobs.ts'
import type { ItemCount } from '@sandbox-jobs/contract/resources/task-history.ts'
import type { Clock } from '../base/clock.ts'
import { notFound } from '../base/coded-error.ts'
import { PlainError } from '../base/plain-error.ts'
import type { Database } from '../db/database.ts'
import {
  countJobRooms,
  type JobRoomFilter,
  listJobRooms,
  type RoomJobs,
  setRoomJobs,
} from './chatroom-jobs-store.ts'
import type { Directory } from './directory.ts'
import { isRestricted, managesDepartment, type Principal } from './principal.ts'

export interface ChatroomJobsContext {
  db: Database
  directory: Directory
  clock: Clock
}

/**
 * Sets the jobs that a room's agent loads. Whoever does not manage the room gets a plain 403, a room that does
 * not exist included (contract part 2, "Chatroom job settings for the agent").
 */
export async function updateChatroomJobs(
  context: ChatroomJobsContext,
  principal: Principal,
  roomId: string,
  { jobs }: ChatroomJobsUpdate,
): Promise<ChatroomJobs> {
  const room = await context.directory.room(principal.companyId, roomId)
  if (!room || !(await context.directory.managesRoom(principal, room))) throw forbidden()
  const set = { jobs, jobs_updated_at: context.clock.now() }
  const row = await setRoomJobs(context.db, { companyId: room.company_id, id: room.id }, set)
  if (!row) throw forbidden()
  return render(row)
}

const forbidden = () => new PlainError(uncoded.role_too_low.status, uncoded.role_too_low.detail)

export interface JobRoomQuery {
  department_id?: string | undefined
  offset?: number | undefined
  limit?: number | undefined
  order?: Order | undefined
}

/**
 * Rooms that enabled sandbox jobs by name: those the caller joined, or those of a department, of which only its
 * managers see the ones they have not joined. A department outside the company is `not_found`.
 */
export async function listSandboxRooms(
  context: ChatroomJobsContext,
  principal: Principal,
  query: JobRoomQuery,
): Promise<JobChatroomList> {
  const filter = await filterOf(context, principal, query.department_id)
  const { offset = 0, limit = pageSizeMax, order = 'asc' } = query
  const rows = await listJobRooms(context.db, filter, { offset, limit, order })
  return rows.map((row) => ({ ...render(row), name: row.name, department_id: row.department_id }))
}

export async function countSandboxRooms(
  context: ChatroomJobsContext,
  principal: Principal,
  query: JobRoomQuery,
): Promise<ItemCount> {
  return { num: await countJobRooms(context.db, await filterOf(context, principal, query.department_id)) }
}

async function filterOf(
  context: ChatroomJobsContext,
  principal: Principal,
  departmentId: string | undefined,
): Promise<JobRoomFilter> {
  const { companyId, principalId } = principal
  const joined = { companyId, job: 'sandbox', memberId: principalId }
  if (departmentId === undefined) return joined
  if (!(await context.directory.department(companyId, departmentId))) throw notFound()
  const manages = managesDepartment(principal, departmentId) && !isRestricted(principal)
  return manages ? { companyId, job: 'sandbox', departmentId } : { ...joined, departmentId }
}

/** The route takes only the contract's job types, so none but those is stored. */
const render = (row: RoomJobs): ChatroomJobs => ({
  chatroom_id: row.id,
  jobs: row.jobs as ChatroomJobs['jobs'],
  updated_at: row.jobs_updated_at?.toISOString() ?? null,
})
