import { Type } from 'typebox'
import { about } from '../about.ts'
import { ChatroomId, DepartmentId, TaskId } from '../identifiers.ts'
import { historyLimitDefault } from '../limits.ts'
import { offsetFields, repeatable } from '../pagination.ts'
import { RunMethod } from '../resources/runs/visible-run.ts'
import { ExecutorKind, ItemCount, SourceKind, TaskRunHistory } from '../resources/tasks/task-history.ts'
import { Strict } from '../schema.ts'
import { runStates } from '../states/run-states.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const runs = `${sandboxPrefix}/tasks/{id}/runs` as const

const filters = {
  status: about('Only runs in one of these states.', repeatable(runStates)),
  method: about('Only runs submitted by a chat agent, or in any other way.', Type.Optional(RunMethod)),
  executor_kind: about(
    'Only runs of users of the company, or of external people.',
    Type.Optional(ExecutorKind),
  ),
  source_kind: about(
    'Only runs from a room, a table of a department, or a messaging channel.',
    Type.Optional(SourceKind),
  ),
  department_id: about('Only runs in rooms of this department.', Type.Optional(DepartmentId)),
  chatroom_id: about('Only runs in this room.', Type.Optional(ChatroomId)),
}

const manager = {
  action: 'task.read_history',
  tag: 'Tasks',
  method: 'GET',
  params: Strict({ id: TaskId }),
  errors: ['not_found'],
  plainErrors: ['role_too_low'],
} as const

/** The runs of a task in every room, for company managers (contract part 2, "Tasks, versions, shares"). */
export const historyRoutes = {
  listTaskRuns: route({
    ...manager,
    path: runs,
    summary: 'List the runs of a task, newest first by default',
    description:
      'A plain array without a token: use `offset` and `limit`. It names who ran it, in which room, and what it cost.',
    query: Type.Object({ ...offsetFields(historyLimitDefault, 'desc'), ...filters }),
    response: TaskRunHistory,
  }),
  countTaskRuns: route({
    ...manager,
    path: `${runs}/numOfData`,
    summary: 'Count the runs of a task',
    description: 'With the same filters as listTaskRuns.',
    query: Type.Object(filters),
    response: ItemCount,
  }),
}
