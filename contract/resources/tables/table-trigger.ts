import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import {
  ChatroomId,
  CompanyId,
  CustomTableId,
  TableRowId,
  TableTriggerId,
  TaskVersionId,
  TriggerEventId,
  UserId,
} from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { descriptionMaxLength, nameMaxLength, timeoutMaxSeconds, timeoutMinSeconds } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Ordinal, PlainText, Strict, VisibleText } from '../../schema.ts'
import { tableTriggerStates } from '../../states/custom-table-states.ts'

export const rowEvents = ['create', 'update'] as const
export type RowEventKind = (typeof rowEvents)[number]

export const triggerEventStatuses = ['waiting', 'started', 'refused'] as const
export type TriggerEventStatus = (typeof triggerEventStatuses)[number]

const texts = {
  name: 'Name of the trigger.',
  events: 'Which changes of rows start a run.',
  room: 'Chatroom in which the runs are. The task is shared with it.',
  version: 'Version that runs. It must not require a confirmation.',
  template:
    'Input of the runs: JSON in which texts have placeholders. A text that is one placeholder becomes its value, of any type, and null without one: `{{event}}`, `{{table_id}}`, `{{row_id}}`, `{{row_version}}`, `{{values}}` for all values, `{{values.NAME}}` for one. In a longer text a placeholder becomes text.',
  timeout: 'Seconds that each run may take; null: as long as the version says.',
} as const

const exampleTemplate = { order: '{{values.order_id}}', text: 'Order {{values.order_id}} changed' }
const RowEvents = Type.Array(OneOf(rowEvents), { minItems: 1, maxItems: 2, uniqueItems: true })

const fields = {
  name: about(texts.name, VisibleText({ maxLength: nameMaxLength }), 'send invoice'),
  description: about(
    'Its purpose.',
    Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
    'Sends the invoice of each new order',
  ),
  events: about(texts.events, RowEvents, ['create']),
  chatroom_id: about(texts.room, ChatroomId, exampleId('chatroom')),
  task_version_id: about(texts.version, TaskVersionId, exampleId('taskVersion')),
  input_template: about(
    `${texts.template} Without it: all of these by their names.`,
    Type.Optional(Type.Unknown()),
    exampleTemplate,
  ),
  timeout_seconds: about(
    texts.timeout,
    Type.Optional(Nullable(Type.Integer({ minimum: timeoutMinSeconds, maximum: timeoutMaxSeconds }))),
    600,
  ),
}

/** Starts a run for each change of a row (contract part 3, D3). */
export const TableTrigger = Type.Object({
  id: TableTriggerId,
  company_id: CompanyId,
  table_id: CustomTableId,
  name: about(texts.name, Type.String(), 'send invoice'),
  description: about('Its purpose; may be empty.', Type.String(), 'Sends the invoice of each new order'),
  events: about(texts.events, Type.Array(OneOf(rowEvents)), ['create']),
  chatroom_id: ChatroomId,
  task_version_id: TaskVersionId,
  input_template: about(texts.template, Type.Unknown(), exampleTemplate),
  timeout_seconds: about(texts.timeout, Nullable(Type.Integer()), 600),
  run_as: about(
    'The person who declared it, or changed it last: the runs have the authority of this person, as it is when they start.',
    UserId,
    exampleId('user'),
  ),
  state: about('Where the trigger is in its life.', OneOf(tableTriggerStates)),
  last_error_code: about(
    'Why the last refused event started no run; null if none was refused.',
    Nullable(Type.String()),
    null,
  ),
  last_refused_at: about('When that was.', Nullable(DateTime), null),
  created_at: about('When it was created.', DateTime),
})
export type TableTrigger = Static<typeof TableTrigger>

export const TableTriggerList = listOf(TableTrigger)
export type TableTriggerList = Static<typeof TableTriggerList>

export const TableTriggerCreateRequest = Strict(fields)
export type TableTriggerCreateRequest = Static<typeof TableTriggerCreateRequest>

/** At least one field, else `no_fields`. */
export const TableTriggerUpdateRequest = Strict({
  ...fields,
  name: Type.Optional(fields.name),
  events: Type.Optional(fields.events),
  chatroom_id: Type.Optional(fields.chatroom_id),
  task_version_id: Type.Optional(fields.task_version_id),
})
export type TableTriggerUpdateRequest = Static<typeof TableTriggerUpdateRequest>

/** One change of a row that a trigger handles: it starts one run, or is refused with a code. */
export const TriggerEvent = Type.Object({
  id: TriggerEventId,
  trigger_id: TableTriggerId,
  event: about('The change of the row.', OneOf(rowEvents), 'create'),
  row_id: TableRowId,
  row_version: about('Version of the row after the change.', Ordinal, 1),
  chain: about(
    '1 if a person or program changed the row; one more than that of the run that did.',
    Ordinal,
    1,
  ),
  status: about(
    '`waiting` until its run is queued; `refused` if there is none.',
    OneOf(triggerEventStatuses),
    'started',
  ),
  run_id: about('The run.', Nullable(Type.String()), exampleId('run')),
  error_code: about(
    'Why it was refused: `authority_revoked`, `trigger_chain_too_long`, `trigger_input_invalid`, `trigger_event_expired`, `restored_from_backup`, or the code that refuses a submission.',
    Nullable(Type.String()),
    null,
  ),
  created_at: about('When the row changed.', DateTime),
  handled_at: about('When the run was queued, or the event refused.', Nullable(DateTime), null),
})
export type TriggerEvent = Static<typeof TriggerEvent>

export const TriggerEventList = listOf(TriggerEvent)
export type TriggerEventList = Static<typeof TriggerEventList>
