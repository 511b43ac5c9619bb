import { Type } from 'typebox'
import { about } from '../about.ts'
import { ScheduleId, TaskId } from '../identifiers.ts'
import { chatroomPageSizeDefault, runSubmitBodyMaxBytes } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import {
  Schedule,
  ScheduleCreateRequest,
  ScheduleList,
  SchedulePreview,
  ScheduleUpdateRequest,
  scheduleFields,
} from '../resources/schedules/schedule.ts'
import { ScheduleTickList } from '../resources/schedules/schedule-tick.ts'
import { TimeoutSeconds } from '../resources/tasks/task-version.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ChatroomParams, stagingErrors, versionErrors } from './run-routes.ts'

const room = `${extensionPrefix}/chatrooms/{cid}` as const
const schedules = `${room}/schedules` as const
const reads = { action: 'schedule.read', tag: 'Schedules', method: 'GET', errors: ['not_found'] } as const
const changes = { action: 'schedule.manage', tag: 'Schedules' } as const
const one = {
  path: `${schedules}/{sid}`,
  params: Strict({ ...ChatroomParams.properties, sid: ScheduleId }),
} as const

/** Reasons for which a run of the task is refused whenever it is started. */
const targetErrors = [
  ...stagingErrors,
  ...versionErrors,
  'schedule_needs_confirmation',
  'no_active_region',
  'storage_quota_exceeded',
  'disk_space_low',
] as const

/** Runs at times of a calendar, in a room (an extension; see docs/schedules.md). */
export const scheduleRoutes = {
  listSchedules: route({
    ...reads,
    path: schedules,
    summary: 'List the schedules of a chatroom',
    description: 'All on one page, by name, each with its next ticks. Their inputs are not shown.',
    params: ChatroomParams,
    response: ScheduleList,
  }),
  previewSchedule: route({
    ...changes,
    method: 'GET',
    path: `${room}/schedule-preview`,
    summary: 'Show the times and the price of a schedule before it is made',
    description: 'It makes nothing. The price of a run is that of estimateRun.',
    params: ChatroomParams,
    query: Type.Object({
      task_id: TaskId,
      cron: scheduleFields.cron,
      time_zone: scheduleFields.time_zone,
      timeout_seconds: about(
        'Timeout of each run; that of the version if left out.',
        Type.Optional(TimeoutSeconds),
        600,
      ),
    }),
    response: SchedulePreview,
    errors: ['not_found'],
  }),
  createSchedule: route({
    ...changes,
    method: 'POST',
    path: schedules,
    summary: 'Create a schedule: a task that runs at times of a calendar',
    description:
      'Each tick starts one run as the caller, who may submit runs of that task in the room, and none while its last run has not ended. It is paused when that authority is gone, and after five failures in a row.',
    params: ChatroomParams,
    body: ScheduleCreateRequest,
    maxBodyBytes: runSubmitBodyMaxBytes,
    response: Schedule,
    errors: [...targetErrors, 'already_exists', 'schedule_limit'],
  }),
  readSchedule: route({
    ...reads,
    ...one,
    summary: 'Read a schedule',
    description: 'With its next ticks. Its input is read by readScheduleInput.',
    response: Schedule,
  }),
  readScheduleInput: route({
    ...reads,
    path: `${one.path}/input`,
    params: one.params,
    summary: 'Read the input of each run of a schedule',
    description: 'The JSON text as it was stored, at most 1 MiB.',
    mediaType: 'application/json',
  }),
  updateSchedule: route({
    ...changes,
    ...one,
    method: 'PATCH',
    summary: 'Change, pause or resume a schedule',
    description:
      'Later runs have the authority of the caller, unless the caller only pauses it. Ticks that came before it is resumed start nothing, and earlier failures no longer count.',
    body: ScheduleUpdateRequest,
    maxBodyBytes: runSubmitBodyMaxBytes,
    response: Schedule,
    errors: [...targetErrors, 'already_exists', 'no_fields'],
  }),
  deleteSchedule: route({
    ...changes,
    ...one,
    method: 'DELETE',
    summary: 'Delete a schedule',
    description: 'It starts no run from then on. Its runs stay in the lists of the room.',
    response: Schedule,
    errors: ['not_found'],
  }),
  listScheduleTicks: route({
    ...reads,
    path: `${one.path}/ticks`,
    params: one.params,
    summary: 'List the ticks of a schedule that came',
    description: 'Newest first, with the run of each or why there is none. The newest 100 are kept.',
    query: Type.Object(pageFields(chatroomPageSizeDefault)),
    response: ScheduleTickList,
  }),
}
