export {
  CustomTable,
  CustomTableCreateRequest,
  CustomTableList,
  CustomTableUpdateRequest,
  TableFieldsAddRequest,
} from './custom-table.ts'
export { CommandOutputRequest, WritebackRequest, WritebackResult } from './output-callback.ts'
export {
  CommandExecuteRequest,
  CommandExecution,
  TableCommand,
  TableCommandCreateRequest,
  TableCommandList,
  TableCommandUpdateRequest,
} from './table-command.ts'
export { TableField, TableFieldRequest } from './table-field.ts'
export {
  TableRow,
  TableRowCreateRequest,
  TableRowDeleted,
  TableRowList,
  TableRowUpdateRequest,
} from './table-row.ts'
export {
  TableTrigger,
  TableTriggerCreateRequest,
  TableTriggerList,
  TableTriggerUpdateRequest,
  TriggerEvent,
  TriggerEventList,
} from './table-trigger.ts'
