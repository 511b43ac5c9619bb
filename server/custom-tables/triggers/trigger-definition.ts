import type {
  TableTrigger,
  TableTriggerCreateRequest,
  TableTriggerUpdateRequest,
  TriggerEvent,
} from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { defaultTemplate } from './input-template.ts'
import type { TriggerEventRow } from './trigger-event-store.ts'
import type { TriggerContent, TriggerRow } from './trigger-store.ts'

/** The definition of a trigger, with defaults, or with what a change leaves as it is. */
export type TriggerDefinition = Pick<
  TriggerRow,
  'name' | 'description' | 'events' | 'chatroom_id' | 'task_version_id' | 'input_template' | 'timeout_seconds'
>

export const newDefinition = (request: TableTriggerCreateRequest): TriggerDefinition => ({
  name: request.name,
  description: request.description ?? '',
  events: request.events,
  chatroom_id: request.chatroom_id,
  task_version_id: request.task_version_id,
  input_template: request.input_template === undefined ? defaultTemplate : request.input_template,
  timeout_seconds: request.timeout_seconds ?? null,
})

export const changedDefinition = (
  before: TriggerDefinition,
  request: TableTriggerUpdateRequest,
): TriggerDefinition => ({
  ...before,
  ...Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)),
})

/** The columns of a definition that this person declares. */
export const contentOf = (definition: TriggerDefinition, runAs: string): TriggerContent => ({
  name: definition.name,
  description: definition.description,
  events: definition.events,
  chatroom_id: definition.chatroom_id,
  task_version_id: definition.task_version_id,
  input_template: JSON.stringify(definition.input_template),
  timeout_seconds: definition.timeout_seconds,
  run_as: runAs,
})

export const renderTrigger = (row: TriggerRow): TableTrigger => ({
  id: row.id,
  company_id: row.company_id,
  table_id: row.table_id,
  name: row.name,
  description: row.description,
  events: row.events,
  chatroom_id: row.chatroom_id,
  task_version_id: row.task_version_id,
  input_template: row.input_template,
  timeout_seconds: row.timeout_seconds,
  run_as: row.run_as,
  state: row.state,
  last_error_code: row.last_error_code,
  last_refused_at: row.last_refused_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})

export const renderEvent = (row: TriggerEventRow): TriggerEvent => ({
  id: row.id,
  trigger_id: row.trigger_id,
  event: row.event,
  row_id: row.row_id,
  row_version: row.row_version,
  chain: row.chain,
  status: row.outcome ?? 'waiting',
  run_id: row.run_id,
  error_code: row.error_code,
  created_at: row.created_at.toISOString(),
  handled_at: row.handled_at?.toISOString() ?? null,
})
