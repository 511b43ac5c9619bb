import { Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, TaskId } from '../../identifiers.ts'
import { repeatable } from '../../pagination.ts'
import { DateTime } from '../../schema.ts'
import { runStates } from '../../states/run-states.ts'
import { RunMethod } from './visible-run.ts'

/** Conditions on the runs of every room that the caller may read. A run has to meet all of them. */
export const runFilters = {
  status: about('Only runs in one of these states.', repeatable(runStates)),
  chatroom_id: about('Only runs in this room.', Type.Optional(ChatroomId)),
  task_id: about('Only runs of this task.', Type.Optional(TaskId)),
  method: about('Only runs submitted by a chat agent, or in any other way.', Type.Optional(RunMethod)),
  queued_after: about('Only runs queued at this instant or later.', Type.Optional(DateTime)),
  queued_before: about('Only runs queued before this instant.', Type.Optional(DateTime)),
}
