import { timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import type {
  RowEventKind,
  TableTrigger,
  TableTriggerCreateRequest,
} from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { isJson } from '../../data/is-json.ts'
import { isTimeout } from '../../parts/timeout-field.tsx'

/** A trigger as it is typed. */
export interface TriggerDraft {
  name: string
  description: string
  events: readonly RowEventKind[]
  room: string
  version: string
  /** JSON with placeholders. */
  template: string
  /** Seconds; empty: as long as the version says. */
  timeout: string
}

/** Begins with an input that has every field. */
export const newTrigger = (fields: readonly TableField[], room: string): TriggerDraft => ({
  name: '',
  description: '',
  events: ['create'],
  room,
  version: '',
  template: JSON.stringify(
    Object.fromEntries(fields.map(({ name }) => [name, `{{values.${name}}}`])),
    null,
    2,
  ),
  timeout: '',
})

export const draftOfTrigger = (trigger: TableTrigger): TriggerDraft => ({
  name: trigger.name,
  description: trigger.description,
  events: trigger.events,
  room: trigger.chatroom_id,
  version: trigger.task_version_id,
  template: JSON.stringify(trigger.input_template, null, 2),
  timeout: trigger.timeout_seconds === null ? '' : String(trigger.timeout_seconds),
})

export const isTriggerComplete = ({
  name,
  events,
  room,
  version,
  template,
  timeout,
}: TriggerDraft): boolean =>
  name.trim() !== '' &&
  events.length > 0 &&
  room !== '' &&
  version !== '' &&
  isJson(template) &&
  (timeout === '' || isTimeout(timeout, timeoutMaxSeconds))

/** The same as the API takes it. */
export const bodyOfTrigger = (draft: TriggerDraft): TableTriggerCreateRequest => ({
  name: draft.name,
  description: draft.description,
  events: [...draft.events],
  chatroom_id: draft.room,
  task_version_id: draft.version,
  input_template: JSON.parse(draft.template) as unknown,
  timeout_seconds: draft.timeout === '' ? null : Number(draft.timeout),
})
