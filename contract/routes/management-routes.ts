import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { catalogPageSizeDefault, chatroomPageSizeDefault } from '../limits.ts'
import { listQuery, pageFields, repeatable } from '../pagination.ts'
import { BindingList } from '../resources/binding.ts'
import { RunMethod, VisibleRunList } from '../resources/visible-run.ts'
import { DateTime, Strict } from '../schema.ts'
import { runStates } from '../states/run-states.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const tenant = { access: 'tenant', method: 'GET' } as const

/** What spans rooms or tasks (contract part 2, "Capability and management queries"; part 3, D5). */
export const managementRoutes = {
  listVisibleRuns: route({
    ...tenant,
    tag: 'Runs',
    restrictedKey: 403,
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
    ...tenant,
    tag: 'Bindings',
    restrictedKey: 403,
    path: `${sandboxPrefix}/tasks/{id}/bindings`,
    summary: 'List the rooms that enabled a task; who does not own it sees the rooms they manage',
    params: Strict({ id: Identifier }),
    query: listQuery(catalogPageSizeDefault),
    response: BindingList,
    errors: ['not_found'],
  }),
  listRoomBindings: route({
    ...tenant,
    tag: 'Bindings',
    restrictedKey: 405,
    path: `${sandboxPrefix}/chatrooms/{cid}/bindings`,
    summary: 'List what a chatroom has enabled, for its managers',
    params: Strict({ cid: Identifier }),
    query: listQuery(catalogPageSizeDefault),
    response: BindingList,
    errors: ['not_found'],
  }),
}
