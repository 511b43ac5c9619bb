import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { listOf } from '../../pagination.ts'
import { Count, OneOf } from '../../schema.ts'
import { RunDetail } from './run.ts'

/** How a run was submitted: by a chat agent, or in any other way. */
export const runMethods = ['agent', 'manual'] as const
export const RunMethod = OneOf(runMethods)
export type RunMethod = Static<typeof RunMethod>

/** A run in a list across many rooms (contract part 3, D5). */
export const VisibleRun = Type.Object({
  ...RunDetail.properties,
  chatroom_name: about('Name of the room.', Type.String(), 'Sales'),
  task_name: about('Name of the task.', Type.String(), 'Sales report'),
})
export type VisibleRun = Static<typeof VisibleRun>

/** `total` counts the matches of the filters on all pages. */
export const VisibleRunList = Type.Object({
  ...listOf(VisibleRun).properties,
  total: about('Matches of the filters on all pages.', Count, 1),
})
export type VisibleRunList = Static<typeof VisibleRunList>
