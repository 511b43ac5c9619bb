import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { chatroomPageSizeDefault, pageSizeMax } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { GrantedJob, GrantedJobEnableRequest, GrantedJobList } from '../resources/granted-job.ts'
import { Menu } from '../resources/menu.ts'
import { Strict } from '../schema.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const chatroom = `${sandboxPrefix}/chatrooms/{cid}` as const
const grantedJobs = `${chatroom}/granted-jobs` as const

const ChatroomParams = Strict({ cid: Identifier })
const JobParams = Strict({ cid: Identifier, tid: Identifier })

const { page_token } = pageFields(chatroomPageSizeDefault)
/** Without a size the page holds as many as it may. */
const GrantedJobQuery = Type.Object({
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax })),
  page_token,
})

const tenant = { tag: 'Bindings', access: 'tenant', restrictedKey: 405 } as const

/** What a chatroom has been granted, has enabled and can run (contract part 2, "Chatroom runs"). */
export const chatroomRoutes = {
  readMenu: route({
    ...tenant,
    tag: 'Runs',
    restrictedKey: 'allowed',
    method: 'GET',
    path: `${chatroom}/menu`,
    summary: 'List what can be run in a chatroom',
    params: ChatroomParams,
    query: Type.Object(pageFields(chatroomPageSizeDefault)),
    response: Menu,
    errors: ['not_found'],
  }),
  listGrantedJobs: route({
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
    ...tenant,
    method: 'POST',
    path: `${grantedJobs}/{tid}/disable`,
    summary: 'Take a task out of the menu; its share stays',
    params: JobParams,
    response: GrantedJob,
    errors: ['not_found', 'task_not_shared_to_room'],
  }),
}
