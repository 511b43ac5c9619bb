import { ChatroomId, CustomTableId, TableCommandId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import {
  CommandExecuteRequest,
  CommandExecution,
  TableCommand,
  TableCommandCreateRequest,
  TableCommandList,
  TableCommandUpdateRequest,
} from '../resources/tables/table-command.ts'
import { Strict } from '../schema.ts'
import { tablesPrefix } from './prefixes.ts'
import { route } from './route.ts'

const ofTable = `${tablesPrefix}/tables/{id}/commands` as const
const command = `${tablesPrefix}/commands/{id}` as const
const ofRoom = `${tablesPrefix}/chatrooms/{cid}/commands` as const

const CommandParams = Strict({ id: TableCommandId })
const tenant = { tag: 'Custom tables' } as const
const changes = { ...tenant, action: 'table.change', params: CommandParams, response: TableCommand } as const
const inRoom = { ...tenant, action: 'table.execute_command' } as const

/** Commands of custom tables (contract part 3, D3). */
export const tableCommandRoutes = {
  listTableCommands: route({
    ...tenant,
    action: 'table.read',
    method: 'GET',
    path: ofTable,
    summary: 'List the commands of a table',
    description: 'For who manages the table.',
    params: Strict({ id: CustomTableId }),
    query: listQuery(catalogPageSizeDefault),
    response: TableCommandList,
    errors: ['not_found'],
  }),
  createTableCommand: route({
    ...tenant,
    action: 'table.change',
    method: 'POST',
    path: ofTable,
    summary: 'Create a command of a table',
    description:
      'A `write` command with the authority of its definition and an effect identity can be the output of a run.',
    params: Strict({ id: CustomTableId }),
    body: TableCommandCreateRequest,
    response: TableCommand,
    errors: [
      'not_found',
      'custom_table_archived',
      'custom_table_limit_reached',
      'storage_quota_exceeded',
      'disk_space_low',
    ],
  }),
  readTableCommand: route({
    ...tenant,
    action: 'table.read',
    method: 'GET',
    path: command,
    summary: 'Read a command',
    description: 'For who manages its table.',
    params: CommandParams,
    response: TableCommand,
    errors: ['not_found'],
  }),
  updateTableCommand: route({
    ...changes,
    method: 'PATCH',
    path: command,
    summary: 'Change a command',
    description: 'Runs whose output policy names the former inputs can no longer call it.',
    body: TableCommandUpdateRequest,
    errors: ['not_found', 'no_fields', 'custom_table_archived'],
  }),
  archiveTableCommand: route({
    ...changes,
    method: 'POST',
    path: `${command}/archive`,
    summary: 'Archive a command',
    description: 'Nobody can execute it from then on.',
    errors: ['not_found', 'custom_table_archived'],
  }),
  listRoomCommands: route({
    ...inRoom,
    method: 'GET',
    path: ofRoom,
    summary: 'List the commands that a chatroom may use',
    description: 'Those granted to the chatroom, to its department or to the company.',
    params: Strict({ cid: ChatroomId }),
    query: listQuery(catalogPageSizeDefault),
    response: TableCommandList,
    errors: ['not_found'],
  }),
  executeCommand: route({
    ...inRoom,
    method: 'POST',
    path: `${ofRoom}/{id}/execute`,
    summary: 'Execute a command in a chatroom',
    description:
      'Repeating the key returns the first answer. Rows of a table with a channel rule get this chatroom.',
    params: Strict({ cid: ChatroomId, id: TableCommandId }),
    body: CommandExecuteRequest,
    idempotent: true,
    response: CommandExecution,
    errors: [
      'not_found',
      'custom_table_archived',
      'custom_table_command_denied',
      'custom_table_limit_reached',
      'custom_table_trigger_backlog',
      'storage_quota_exceeded',
      'disk_space_low',
    ],
  }),
}
