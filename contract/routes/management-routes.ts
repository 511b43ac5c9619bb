import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { catalogPageSizeDefault, chatroomPageSizeDefault } from '../limits.ts'
import { listQuery, pageFields, repeatable } from '../pagination.ts'
import { RunMethod, VisibleRunList } from '../resources/runs/visible-run.ts'
import { BindingList } from '../resources/tasks/binding.ts'
import { DateTime, Strict } from '../schema.ts'
import { runStates } from '../states/run-states.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const tenant = { method: 'GET' } as const

/** Queries across rooms or tasks (contract part 2, "Capability and management queries"; part 3, D5). */
export const managementRoutes = {
  listVisibleRuns: route({
    action: 'run.list_visible',
    ...tenant,
    tag: 'Runs',
    path: `${sandboxPrefix}/runs`,
    summary: 'List the runs of every chatroom the caller may read, newest first',
    query: Type.Object({
      ...pageFields(chatroomPageSizeDefault),
      status: repeatable(runStates),
      chatroom_id: Type.Optional(Identifier),
      task_id: Type.Optional(Identifier),
      method: Type.Optional(RunMethod),
      /** Queued at this instant or later. */
      queued_after: Type.Optional(DateTime),
      /** Queued before this instant. */
      queued_before: Type.Optional(DateTime),
    }),
    response: VisibleRunList,
    errors: [],
  }),
  listTaskBindings: route({
    action: 'task.read',
    ...tenant,
    tag: 'Bindings',
    path: `${sandboxPrefix}/tasks/{id}/bindings`,
    summary: 'List the rooms that enabled a task; callers that do not own it see the rooms they manage',
    params: Strict({ id: Identifier }),
    query: listQuery(catalogPageSizeDefault),
    response: BindingList,
    errors: ['not_found'],
  }),
  listRoomBindings: route({
    action: 'granted_job.manage',
    ...tenant,
    tag: 'Bindings',
    path: `${sandboxPrefix}/chatrooms/{cid}/bindings`,
    summary: 'List the bindings of a chatroom, for its managers',
    params: Strict({ cid: Identifier }),
    query: listQuery(catalogPageSizeDefault),
    response: BindingList,
    errors: ['not_found'],
  }),
}
