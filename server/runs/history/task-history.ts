import { historyLimitDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Order } from '@sandbox-jobs/contract/pagination.ts'
import type {
  ItemCount,
  TaskRunHistory,
  TaskRunHistoryItem,
} from '@sandbox-jobs/contract/resources/tasks/task-history.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { moneyText } from '../../billing/money.ts'
import type { Database } from '../../db/database.ts'
import { requireManagedTask } from '../../tasks/catalogue/task-access.ts'
import {
  countTaskHistory,
  listTaskHistory,
  type TaskHistoryFilter,
  type TaskHistoryRow,
} from './task-history-store.ts'

export interface TaskHistoryQuery {
  status?: string[] | undefined
  method?: TaskHistoryFilter['method']
  executor_kind?: TaskHistoryFilter['executorKind']
  source_kind?: TaskHistoryFilter['sourceKind']
  department_id?: string | undefined
  chatroom_id?: string | undefined
}

/** The runs of one task in all rooms. Plain 403 below company manager (contract part 1, "Roles"). */
export async function listTaskRuns(
  db: Database,
  principal: Principal,
  taskId: string,
  query: TaskHistoryQuery & { offset?: number; limit?: number; order?: Order },
): Promise<TaskRunHistory> {
  const filter = await filterOf(db, principal, taskId, query)
  const { offset = 0, limit = historyLimitDefault, order = 'desc' } = query
  const rows = await listTaskHistory(db, filter, { offset, limit, order })
  return rows.map(renderItem)
}

export async function countTaskRuns(
  db: Database,
  principal: Principal,
  taskId: string,
  query: TaskHistoryQuery,
): Promise<ItemCount> {
  return { num: await countTaskHistory(db, await filterOf(db, principal, taskId, query)) }
}

async function filterOf(
  db: Database,
  principal: Principal,
  taskId: string,
  query: TaskHistoryQuery,
): Promise<TaskHistoryFilter> {
  authorize(principal, 'task.read_history', ownCompany)
  const task = await requireManagedTask(db, principal, 'task.read', taskId)
  return {
    companyId: task.company_id,
    taskId: task.id,
    states: query.status,
    method: query.method,
    executorKind: query.executor_kind,
    sourceKind: query.source_kind,
    departmentId: query.department_id,
    chatroomId: query.chatroom_id,
  }
}

const millisecondsPerSecond = 1000

const renderItem = (row: TaskHistoryRow): TaskRunHistoryItem => {
  const { started_at, terminal_at } = row
  const agent = row.submission_source === 'agent'
  const item = {
    id: row.id,
    task_id: row.task_id,
    task_version_id: row.task_version_id,
    status: row.state,
    queued_at: row.queued_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    terminal_at: terminal_at?.toISOString() ?? null,
    duration_seconds:
      started_at && terminal_at
        ? Math.max(0, terminal_at.getTime() - started_at.getTime()) / millisecondsPerSecond
        : null,
    cost_usd: row.cost_micro === null ? null : moneyText(row.cost_micro),
    executor_kind: row.executor_kind,
    executor_id: row.executor_id,
    executor_display_name: row.executor_display_name ?? '',
    source_kind: row.source_kind,
    chatroom_id: row.chatroom_id,
    chatroom_name: row.chatroom_name,
    department_id: row.department_id,
    department_name: row.department_name,
    external_platform: row.channel ?? (agent ? 'agent' : null),
    method: agent ? 'agent' : 'manual',
    submission_source: row.submission_source,
    resource_profile: row.resource_profile,
    error_code: row.error_code,
  }
  // The table's CHECK constraints and the store's `case` expressions guarantee the literal types.
  return item as TaskRunHistoryItem
}
