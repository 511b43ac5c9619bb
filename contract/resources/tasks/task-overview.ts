import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { listOf } from '../../pagination.ts'
import { Count, Nullable } from '../../schema.ts'
import { Task } from './task.ts'

/** Runs of a task that are counted; more are that many. */
export const countedRunsMax = 200
export const countedRunsDays = 7

/** A task and who uses it. */
export const TaskOverview = Type.Object({
  ...Task.properties,
  published_version_number: about(
    'Number of the newest published version; null if there is none.',
    Nullable(Type.Integer({ minimum: 1 })),
    3,
  ),
  rooms: about('Rooms that enabled it; null for callers who do not manage the task.', Nullable(Count), 4),
  runs: about(
    `Runs of the last ${countedRunsDays} days in all rooms, of the newest ${countedRunsMax} runs; null for callers who may not read them.`,
    Nullable(Type.Integer({ minimum: 0, maximum: countedRunsMax })),
    17,
  ),
  failures: about(
    'Those of them that failed, by the fault of the job or of the platform.',
    Nullable(Type.Integer({ minimum: 0, maximum: countedRunsMax })),
    1,
  ),
})
export type TaskOverview = Static<typeof TaskOverview>

export const TaskOverviewList = listOf(TaskOverview)
export type TaskOverviewList = Static<typeof TaskOverviewList>
