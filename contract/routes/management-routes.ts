import { Type } from 'typebox'
import { about } from '../about.ts'
import { ChatroomId, TaskId } from '../identifiers.ts'
import { catalogPageSizeDefault, chatroomPageSizeDefault } from '../limits.ts'
import { listQuery, pageFields } from '../pagination.ts'
import { runFilters } from '../resources/runs/run-filters.ts'
import {
  bucketsMax,
  countedRunsMax,
  RunStatistics,
  StatisticsBucket,
} from '../resources/runs/run-statistics.ts'
import { VisibleRunList } from '../resources/runs/visible-run.ts'
import { BindingList } from '../resources/tasks/binding.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix, sandboxPrefix } from './prefixes.ts'
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
    description: 'With the names of room and task, and `total` over all pages.',
    query: Type.Object({ ...pageFields(chatroomPageSizeDefault), ...runFilters }),
    response: VisibleRunList,
    errors: [],
  }),
  countRuns: route({
    action: 'run.list_visible',
    ...tenant,
    tag: 'Runs',
    path: `${extensionPrefix}/runs/statistics`,
    summary:
      'Count the runs of every chatroom the caller may read by hour or day, with their waits and durations',
    description: `With the filters of listVisibleRuns. Without \`queued_after\` the last 14 days or 48 hours are counted. At most ${bucketsMax} hours or days, and the newest ${countedRunsMax} runs.`,
    query: Type.Object({
      ...runFilters,
      bucket: about('Length of a bucket; a day if it is left out.', Type.Optional(StatisticsBucket), 'day'),
    }),
    response: RunStatistics,
    errors: ['usage_busy'],
  }),
  listTaskBindings: route({
    action: 'task.read',
    ...tenant,
    tag: 'Bindings',
    path: `${sandboxPrefix}/tasks/{id}/bindings`,
    summary: 'List the rooms that enabled a task; callers that do not own it see the rooms they manage',
    description: 'Which version each room has pinned.',
    params: Strict({ id: TaskId }),
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
    description: 'Tasks that the room has enabled, with the pinned versions.',
    params: Strict({ cid: ChatroomId }),
    query: listQuery(catalogPageSizeDefault),
    response: BindingList,
    errors: ['not_found'],
  }),
}
