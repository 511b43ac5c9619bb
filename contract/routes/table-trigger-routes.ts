import { Type } from 'typebox'
import { about } from '../about.ts'
import { CustomTableId, TableTriggerId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery, pageFields } from '../pagination.ts'
import {
  TableTrigger,
  TableTriggerCreateRequest,
  TableTriggerList,
  TableTriggerUpdateRequest,
  TriggerEventList,
  triggerEventStatuses,
} from '../resources/tables/table-trigger.ts'
import { OneOf, Strict } from '../schema.ts'
import { tablesPrefix } from './prefixes.ts'
import { route } from './route.ts'

const ofTable = `${tablesPrefix}/tables/{id}/triggers` as const
const trigger = `${tablesPrefix}/triggers/{id}` as const

const TriggerParams = Strict({ id: TableTriggerId })
const tenant = { tag: 'Custom tables' } as const
const reads = { ...tenant, action: 'table.read', method: 'GET', errors: ['not_found'] } as const
const changes = { ...tenant, action: 'table.change', response: TableTrigger } as const
/** Reasons for which the version may be refused. */
const targetErrors = [
  'not_found',
  'version_not_runnable',
  'content_scrubbed_irreversible',
  'custom_table_archived',
  'custom_table_trigger_needs_confirmation',
  'output_policy_author_denied',
  'output_policy_command_not_found',
  'output_policy_schema_mismatch',
  'output_policy_unsatisfiable',
  'writeback_authority_denied',
  'sandbox_writeback_key_unavailable',
] as const

/** Triggers of custom tables (contract part 3, D3). */
export const tableTriggerRoutes = {
  listTableTriggers: route({
    ...reads,
    path: ofTable,
    summary: 'List the triggers of a table',
    description: 'For who manages the table.',
    params: Strict({ id: CustomTableId }),
    query: listQuery(catalogPageSizeDefault),
    response: TableTriggerList,
  }),
  createTableTrigger: route({
    ...changes,
    method: 'POST',
    path: ofTable,
    summary: 'Create a trigger of a table',
    description:
      'From then on each change of a row starts one run, as the caller, who may submit runs of that version in that chatroom. Runs of one row are queued in the order of its changes.',
    params: Strict({ id: CustomTableId }),
    body: TableTriggerCreateRequest,
    errors: [...targetErrors, 'custom_table_limit_reached', 'storage_quota_exceeded', 'disk_space_low'],
  }),
  readTableTrigger: route({
    ...reads,
    path: trigger,
    summary: 'Read a trigger',
    description: 'For who manages its table.',
    params: TriggerParams,
    response: TableTrigger,
  }),
  updateTableTrigger: route({
    ...changes,
    method: 'PATCH',
    path: trigger,
    summary: 'Change a trigger',
    description:
      'Later runs have the authority of the caller. Events that wait are handled as the trigger is then.',
    params: TriggerParams,
    body: TableTriggerUpdateRequest,
    errors: [...targetErrors, 'no_fields'],
  }),
  archiveTableTrigger: route({
    ...changes,
    method: 'POST',
    path: `${trigger}/archive`,
    summary: 'Archive a trigger',
    description: 'It starts no run from then on; events that wait are refused with `custom_table_archived`.',
    params: TriggerParams,
    errors: ['not_found', 'custom_table_archived'],
  }),
  listTriggerEvents: route({
    ...reads,
    path: `${trigger}/events`,
    summary: 'List the row events of a trigger',
    description:
      'Newest first, with the run of each or why there is none. They are listed for a day after they were handled, and until their run has ended.',
    params: TriggerParams,
    query: Type.Object({
      ...pageFields(catalogPageSizeDefault),
      status: about('Only events with this status.', Type.Optional(OneOf(triggerEventStatuses)), 'refused'),
    }),
    response: TriggerEventList,
  }),
}
