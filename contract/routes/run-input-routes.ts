import { Type } from 'typebox'
import { TaskId } from '../identifiers.ts'
import { pageSizeMax } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { LastRun, RoomOverviewList } from '../resources/runs/room-overview.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ChatroomParams, RunParams } from './run-routes.ts'

const chatroom = `${extensionPrefix}/chatrooms/{cid}` as const
const read = { tag: 'Runs', method: 'GET', errors: ['not_found'] } as const

/** Inputs, to run something again, and rooms with the runs that go on in them. */
export const runInputRoutes = {
  readRunInput: route({
    ...read,
    action: 'run.read_result',
    path: `${chatroom}/runs/{rid}/input`,
    summary: 'Read the input of a run',
    description:
      'The JSON text as it was stored, at most 1 MiB. 404 once the content of the run was deleted.',
    params: RunParams,
    mediaType: 'application/json',
  }),
  readLastRun: route({
    ...read,
    action: 'run.read',
    path: `${chatroom}/last-run`,
    summary: 'Read the last run that the caller made of a task in a chatroom',
    description:
      'Looks at the newest 1,000 runs of the task. With readRunInput, a form starts with what was sent last.',
    params: ChatroomParams,
    query: Type.Object({ task_id: TaskId }),
    response: LastRun,
  }),
  listRoomOverviews: route({
    tag: 'Chatrooms',
    method: 'GET',
    errors: [],
    action: 'room.list_overviews',
    path: `${extensionPrefix}/room-overviews`,
    summary: 'List the rooms of the caller with the runs that are going on in them',
    description: 'As listOwnChatrooms, with counts as they are now.',
    query: Type.Object(pageFields(pageSizeMax)),
    response: RoomOverviewList,
  }),
}
