import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { chatroomPageSizeDefault, pageSizeMax } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { GrantedJob, GrantedJobEnableRequest, GrantedJobList } from '../resources/tasks/granted-job.ts'
import { Menu } from '../resources/tasks/menu.ts'
import { Strict } from '../schema.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const chatroom = `${sandboxPrefix}/chatrooms/{cid}` as const
const grantedJobs = `${chatroom}/granted-jobs` as const

const ChatroomParams = Strict({ cid: Identifier })
const JobParams = Strict({ cid: Identifier, tid: Identifier })

const { page_token } = pageFields(chatroomPageSizeDefault)
/** Without a size, the page has the maximum size. */
const GrantedJobQuery = Type.Object({
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax })),
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
    params: JobParams,
    body: GrantedJobEnableRequest,
    bodyOptional: true,
    response: GrantedJob,
    errors: ['not_found', 'task_not_shared_to_room', 'task_archived', 'version_not_runnable'],
  }),
  disableGrantedJob: route({
    action: 'granted_job.manage',
    ...tenant,
    method: 'POST',
    path: `${grantedJobs}/{tid}/disable`,
    summary: 'Remove a task from the menu; its share stays',
    params: JobParams,
    response: GrantedJob,
    errors: ['not_found', 'task_not_shared_to_room'],
  }),
}
