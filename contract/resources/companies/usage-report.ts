import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { Count, Nullable, OneOf } from '../../schema.ts'

export const usageDimensions = ['day', 'task', 'room', 'department', 'person'] as const
export type UsageDimension = (typeof usageDimensions)[number]

export const UsageDay = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })

const Amount = Type.String({ pattern: '^[0-9]+[.][0-9]{6}$' })
const named = (what: string, id: string, name: string) =>
  [
    about(`${what}; null if the report is not by it.`, Nullable(Type.String()), id),
    about('Its name now; null if there is none, or the report is not by it.', Nullable(Type.String()), name),
  ] as const
const [task, taskName] = named('Task of runs, or environment of builds', exampleId('task'), 'Report')
const [room, roomName] = named('Room; empty for builds', exampleId('chatroom'), 'Sales')
const [department, departmentName] = named(
  'Department that the room was in, or that owns the environment; empty for environments of the company',
  exampleId('department'),
  'Trade',
)
const [person, personName] = named('The person who submitted; empty for builds', exampleId('user'), 'Ada')

/** One line of a usage report (extension). */
export const UsageItem = Type.Object({
  day: about('Day (UTC) of queueing; null if the report is not by day.', Nullable(UsageDay), '2026-11-24'),
  kind: about('Runs or builds.', OneOf(['run', 'build']), 'run'),
  subject_id: task,
  subject_name: taskName,
  chatroom_id: room,
  chatroom_name: roomName,
  department_id: department,
  department_name: departmentName,
  principal_type: about(
    '`user` or `social_media_client`; empty for builds, null if the report is not by person.',
    Nullable(Type.String()),
    'user',
  ),
  principal_id: person,
  principal_name: personName,
  count: about('How many ended.', Count, 12),
  seconds: about('Seconds from start to end, each rounded up.', Count, 240),
  ingress_bytes: about('Bytes received.', Count, 18_220),
  egress_bytes: about('Bytes sent.', Count, 4210),
  cost: about('Settled cost as a decimal string.', Amount, '0.002400'),
})
export type UsageItem = Static<typeof UsageItem>

/** Use and cost of ended runs and builds of a company, by the day on which they were queued (extension). */
export const UsageReport = Type.Object({
  company_id: CompanyId,
  from: about('First day.', UsageDay, '2026-11-01'),
  to: about('Last day.', UsageDay, '2026-11-30'),
  by: about('Dimensions that the lines are grouped by.', Type.Array(OneOf(usageDimensions)), ['day', 'task']),
  currency: about('Currency of all costs, ISO 4217.', Type.String(), 'USD'),
  items: about('In the order of what they are by.', Type.Array(UsageItem)),
  truncated: about('Whether there are more lines than fit: ask for fewer days.', Type.Boolean(), false),
})
export type UsageReport = Static<typeof UsageReport>
