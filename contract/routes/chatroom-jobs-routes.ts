import { Type } from 'typebox'
import { about } from '../about.ts'
import { ChatroomId, DepartmentId } from '../identifiers.ts'
import { pageSizeMax } from '../limits.ts'
import { offsetFields } from '../pagination.ts'
import { ChatroomJobs, ChatroomJobsUpdate, JobChatroomList } from '../resources/tasks/chatroom-jobs.ts'
import { ItemCount } from '../resources/tasks/task-history.ts'
import { Strict } from '../schema.ts'
import { route } from './route.ts'

const chatrooms = '/private/chatrooms'
const byJob = `${chatrooms}/by_job/sandbox` as const

const tenant = { tag: 'Chatrooms' } as const
const byJobQuery = Type.Object({
  ...offsetFields(pageSizeMax, 'asc'),
  department_id: about(
    'Only rooms of this department; by default those of the caller.',
    Type.Optional(DepartmentId),
  ),
})

/** Which rooms load the agent's tools (contract part 2, "Chatroom job settings for the agent"). */
export const chatroomJobsRoutes = {
  updateChatroomJobs: route({
    action: 'room.set_jobs',
    ...tenant,
    method: 'PATCH',
    path: `${chatrooms}/setting/jobs/{cid}`,
    summary: 'Set the jobs a chatroom loads; callers that do not manage the room get 403',
    description: 'Decides whether the agents of the room have the sandbox tools.',
    params: Strict({ cid: ChatroomId }),
    body: ChatroomJobsUpdate,
    response: ChatroomJobs,
    errors: [],
    plainErrors: ['role_too_low'],
  }),
  listChatroomsByJob: route({
    action: 'room.list_by_job',
    ...tenant,
    method: 'GET',
    path: byJob,
    summary: 'List the rooms that enabled sandbox jobs, by name: rooms of the caller, or of a department',
    description: 'A plain array without a token: use `offset` and `limit`.',
    query: byJobQuery,
    response: JobChatroomList,
    errors: ['not_found'],
  }),
  countChatroomsByJob: route({
    action: 'room.list_by_job',
    ...tenant,
    method: 'GET',
    path: `${byJob}/numOfData`,
    summary: 'Count the rooms that enabled sandbox jobs',
    description: 'With the same filter as listChatroomsByJob.',
    query: byJobQuery,
    response: ItemCount,
    errors: ['not_found'],
  }),
}
