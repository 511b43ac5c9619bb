import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, ScheduleId, TaskId, UserId } from '../../identifiers.ts'
import { cronMaxLength, nameMaxLength, scheduleNextTicks, timeZoneMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, Omissible, OneOf, Strict, VisibleText } from '../../schema.ts'
import { RunEstimate } from '../runs/run-estimate.ts'
import { TimeoutSeconds } from '../tasks/task-version.ts'
import { missedPolicies } from './missed-policy.ts'
import { ScheduleTick } from './schedule-tick.ts'

export const pauseReasons = ['by_person', 'authority_revoked', 'too_many_failures'] as const
export type PauseReason = (typeof pauseReasons)[number]

const texts = {
  name: 'Name of the schedule, unique in its room.',
  cron: 'Minute, hour, day of the month, month and day of the week, in the time of the zone: `*`, numbers, names of months and days, ranges as `1-5`, steps as `*/15`, lists of these. Where both fields of days are other than `*`, either is enough.',
  zone: 'Name in the time zone database.',
  missed:
    'Whether ticks that the service could not start in time are skipped, or start one run together once it can.',
  timeout: 'Seconds that each run may take; null: as long as the version says.',
  input: 'Input of each run: any JSON within the limits of an input. It fits the schema of the version.',
} as const

const Cron = VisibleText({ maxLength: cronMaxLength })
const TimeZone = VisibleText({ maxLength: timeZoneMaxLength })

export const scheduleFields = {
  cron: about(texts.cron, Cron, '30 7 * * mon-fri'),
  time_zone: about(texts.zone, TimeZone, 'Europe/Berlin'),
  timeout_seconds: about(texts.timeout, Omissible(TimeoutSeconds), 600),
}
const name = about(texts.name, VisibleText({ maxLength: nameMaxLength }), 'Daily report')
const input = about(texts.input, Type.Unknown(), { month: '2026-10' })
const missed = about(`${texts.missed} By default \`skip\`.`, Type.Optional(OneOf(missedPolicies)), 'skip')

export const ScheduleCreateRequest = Strict({
  name,
  task_id: about('Task that runs. The room offers it: each run has the version that it offers then.', TaskId),
  input,
  ...scheduleFields,
  missed,
})
export type ScheduleCreateRequest = Static<typeof ScheduleCreateRequest>

/** At least one field, else `no_fields`. */
export const ScheduleUpdateRequest = Strict({
  name: Type.Optional(name),
  input: about(texts.input, Type.Optional(Type.Unknown()), { month: '2026-10' }),
  cron: Type.Optional(scheduleFields.cron),
  time_zone: Type.Optional(scheduleFields.time_zone),
  timeout_seconds: scheduleFields.timeout_seconds,
  missed: about(texts.missed, Type.Optional(OneOf(missedPolicies)), 'once'),
  enabled: about(
    'False pauses it, true resumes it: its ticks from then on start runs.',
    Type.Optional(Type.Boolean()),
    false,
  ),
})
export type ScheduleUpdateRequest = Static<typeof ScheduleUpdateRequest>

const nextAt = about(
  `Its next ticks, at most ${scheduleNextTicks}; empty while it is paused.`,
  Type.Array(DateTime),
  ['2026-12-01T06:30:00.000Z'],
)

/** Runs a task of a room at times of a calendar (an extension; see docs/schedules.md). */
export const Schedule = Type.Object({
  id: ScheduleId,
  chatroom_id: ChatroomId,
  name,
  task_id: TaskId,
  task_name: about('Name of the task.', Type.String(), 'Sales report'),
  cron: scheduleFields.cron,
  time_zone: scheduleFields.time_zone,
  timeout_seconds: about(texts.timeout, Nullable(Type.Integer()), 600),
  missed: about(texts.missed, OneOf(missedPolicies), 'skip'),
  run_as: about(
    'The person who created or changed it last: its runs have the authority of this person, as it is when they start.',
    UserId,
  ),
  paused_because: about('Why it is paused; null while it is not.', Nullable(OneOf(pauseReasons)), null),
  paused_at: about('Since when it is paused; null while it is not.', Nullable(DateTime), null),
  next_at: nextAt,
  last: about('The newest tick that came; null before the first.', Nullable(ScheduleTick)),
  created_at: about('When it was created.', DateTime),
})
export type Schedule = Static<typeof Schedule>

export const ScheduleList = listOf(Schedule)
export type ScheduleList = Static<typeof ScheduleList>

/** Times and price of a schedule that is not made yet. */
export const SchedulePreview = Type.Object({
  next_at: about('Its next five ticks.', Type.Array(DateTime), ['2026-12-01T06:30:00.000Z']),
  ticks_30_days: about('Ticks within 30 days, but for changes of clocks.', Count, 22),
  run: about('Cost and wait of one run, and why it would be refused now.', RunEstimate),
  hold_30_days: about(
    'The most that the runs of 30 days cost; null where runs have no price.',
    Nullable(Type.String()),
    '0.068200',
  ),
  typical_cost_30_days: about(
    'The same for the typical cost of a run; null without earlier runs.',
    Nullable(Type.String()),
    '0.008800',
  ),
})
export type SchedulePreview = Static<typeof SchedulePreview>
