import { Type } from 'typebox'
import { about } from '../about.ts'
import { ChatroomId, TaskId } from '../identifiers.ts'
import { chatroomPageSizeDefault, pageSizeMax } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { GrantedJob, GrantedJobEnableRequest, GrantedJobList } from '../resources/tasks/granted-job.ts'
import { Menu } from '../resources/tasks/menu.ts'
import { Strict } from '../schema.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const chatroom = `${sandboxPrefix}/chatrooms/{cid}` as const
const grantedJobs = `${chatroom}/granted-jobs` as const

const ChatroomParams = Strict({ cid: ChatroomId })
const JobParams = Strict({ cid: ChatroomId, tid: TaskId })

const { page_token } = pageFields(chatroomPageSizeDefault)
/** Without a size, the page has the maximum size. */
const GrantedJobQuery = Type.Object({
  page_size: about(
    'Items on a page, at most 100; without it up to 1000.',
    Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax })),
    20,
  ),
  page_token,
})

const tenant = { tag: 'Bindings' } as const

/** Granted, enabled and runnable tasks of a chatroom (contract part 2, "Chatroom runs"). */
export const chatroomRoutes = {
  readMenu: route({
    action: 'menu.read',
    ...tenant,
    tag: 'Runs',
    method: 'GET',
    path: `${chatroom}/menu`,
    summary: 'List what can be run in a chatroom',
    description:
      'Tasks that are shared with the room and enabled in it, with what their input must look like. Submit `task_version_id`. A page has fewer than `page_size` items where they would be over 1 MiB together.',
    params: ChatroomParams,
    query: Type.Object(pageFields(chatroomPageSizeDefault)),
    response: Menu,
    errors: ['not_found'],
  }),
  listGrantedJobs: route({
    action: 'granted_job.manage',
    ...tenant,
    method: 'GET',
    path: grantedJobs,
    summary: 'List the tasks shared with a chatroom and which of them it has enabled',
    description:
      'Everything that a share gives to the room, for people who decide what to enable. Without page_size an answer has at most 1,000 tasks and 4 MiB; others follow by next_page_token.',
    params: ChatroomParams,
    query: GrantedJobQuery,
    response: GrantedJobList,
    errors: ['not_found'],
  }),
  enableGrantedJob: route({
    action: 'granted_job.manage',
    ...tenant,
    method: 'POST',
    path: `${grantedJobs}/{tid}/enable`,
    summary: 'Enable a shared task and pin one of its versions',
    description:
      'Puts the task on the menu of the room. The pin never moves by itself when a newer version is published.',
    params: JobParams,
    body: GrantedJobEnableRequest,
    bodyOptional: true,
    response: GrantedJob,
    errors: [
      'storage_quota_exceeded',
      'disk_space_low',
      'not_found',
      'task_not_shared_to_room',
      'task_archived',
      'version_not_runnable',
    ],
  }),
  disableGrantedJob: route({
    action: 'granted_job.manage',
    ...tenant,
    method: 'POST',
    path: `${grantedJobs}/{tid}/disable`,
    summary: 'Remove a task from the menu; its share stays',
    description: 'The room can enable it again as long as the share lives.',
    params: JobParams,
    response: GrantedJob,
    errors: ['not_found', 'task_not_shared_to_room'],
  }),
}
