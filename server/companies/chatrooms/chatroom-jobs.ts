import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type { Order } from '@sandbox-jobs/contract/pagination.ts'
import type {
  ChatroomJobs,
  ChatroomJobsUpdate,
  JobChatroomList,
} from '@sandbox-jobs/contract/resources/tasks/chatroom-jobs.ts'
import type { ItemCount } from '@sandbox-jobs/contract/resources/tasks/task-history.ts'
import { absenceOf, departmentOf, may } from '../../access/allow.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Database } from '../../db/database.ts'
import {
  countJobRooms,
  findRoomJobs,
  type JobRoomFilter,
  listJobRooms,
  type RoomJobs,
  setRoomJobs,
} from './chatroom-jobs-store.ts'

export interface ChatroomJobsContext {
  db: Database
  directory: Directory
  clock: Clock
}

/**
 * Sets the jobs that the agent of a room loads. A caller who does not manage the room gets a plain 403, even if the
 * room does not exist (contract part 2, "Chatroom job settings for the agent").
 */
export async function updateChatroomJobs(
  context: ChatroomJobsContext,
  principal: Principal,
  roomId: string,
  { jobs }: ChatroomJobsUpdate,
): Promise<ChatroomJobs> {
  const room = await context.directory.requireRoom(principal, 'room.set_jobs', roomId)
  const set = { jobs, jobs_updated_at: context.clock.now() }
  const row = await setRoomJobs(context.db, { companyId: room.company_id, id: room.id }, set)
  if (!row) throw absenceOf('room.set_jobs')
  return render(row)
}

/** Whether a live room loads the agent tools: its setting names them (contract part 2, "Agent tools"). */
export async function loadsAgentTools(
  db: Database,
  room: { companyId: string; id: string },
): Promise<boolean> {
  return namesAgentTools(await findRoomJobs(db, room))
}

/** The same of a setting that was read. */
export const namesAgentTools = (jobs: readonly string[] | null | undefined): boolean =>
  jobs?.includes('sandbox') === true

export interface JobRoomQuery {
  department_id?: string | undefined
  offset?: number | undefined
  limit?: number | undefined
  order?: Order | undefined
}

/**
 * Rooms that explicitly enabled sandbox jobs: those that the caller joined, or those of a department. In a
 * department, only managers see rooms that they have not joined. A department of another company is `not_found`.
 */
export async function listSandboxRooms(
  context: ChatroomJobsContext,
  principal: Principal,
  query: JobRoomQuery,
): Promise<JobChatroomList> {
  const filter = await filterOf(context, principal, query.department_id)
  const { offset = 0, limit = pageSizeMax, order = 'asc' } = query
  const rows = await listJobRooms(context.db, filter, {
    personId: principal.principalId,
    ...{ offset, limit, order },
  })
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
  const manages = may(principal, 'room.list_department', departmentOf(principal, departmentId))
  return manages ? { companyId, job: 'sandbox', departmentId } : { ...joined, departmentId }
}

/** The route accepts only the job types of the contract, so only those are stored. */
const render = (row: RoomJobs): ChatroomJobs => ({
  chatroom_id: row.id,
  jobs: row.jobs as ChatroomJobs['jobs'],
  updated_at: row.jobs_updated_at?.toISOString() ?? null,
})
