import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
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
  status: repeatable(runStates),
  method: Type.Optional(RunMethod),
  executor_kind: Type.Optional(ExecutorKind),
  source_kind: Type.Optional(SourceKind),
  department_id: Type.Optional(Identifier),
  chatroom_id: Type.Optional(Identifier),
}

const manager = {
  action: 'task.read_history',
  tag: 'Tasks',
  method: 'GET',
  params: Strict({ id: Identifier }),
  errors: ['not_found'],
  plainErrors: ['role_too_low'],
} as const

/** The runs of a task in every room, for company managers (contract part 2, "Tasks, versions, shares"). */
export const historyRoutes = {
  listTaskRuns: route({
    ...manager,
    path: runs,
    summary: 'List the runs of a task, newest first by default',
    query: Type.Object({ ...offsetFields(historyLimitDefault, 'desc'), ...filters }),
    response: TaskRunHistory,
  }),
  countTaskRuns: route({
    ...manager,
    path: `${runs}/numOfData`,
    summary: 'Count the runs of a task',
    query: Type.Object(filters),
    response: ItemCount,
  }),
}
