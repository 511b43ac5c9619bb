import { Type } from 'typebox'
import { about } from '../about.ts'
import {
  CallbackTokenId,
  CommandOutputRequest,
  WritebackRequest,
  WritebackResult,
} from '../resources/tables/output-callback.ts'
import { CommandExecution } from '../resources/tables/table-command.ts'
import { Strict } from '../schema.ts'
import { callbackPrefix } from './prefixes.ts'
import { route } from './route.ts'

const callback = {
  action: 'callback.write',
  method: 'POST',
  tag: 'Custom tables',
  params: Strict({ token_id: CallbackTokenId }),
  requestHeaders: Type.Object({
    authorization: about(
      '`Bearer` and the value of SERVICE_CT_WRITEBACK_TOKEN.',
      Type.Optional(Type.String()),
      'Bearer made-up-secret',
    ),
  }),
} as const

const errors = [
  'output_run_unavailable',
  'output_policy_author_denied',
  'output_schema_violation',
  'output_effect_limit',
  'custom_table_limit_reached',
  'custom_table_trigger_backlog',
  'storage_quota_exceeded',
  'disk_space_low',
] as const

/**
 * Routes that jobs call with the credential of their run (contract part 2, "Public routes"; part 3, D3). An unknown name or
 * a wrong secret gets `output_run_unavailable` with 404.
 */
export const outputCallbackRoutes = {
  writeBack: route({
    ...callback,
    path: `${callbackPrefix}/writeback/{token_id}`,
    summary: 'Write a row from a run',
    description:
      'For runs whose version has a `custom_table_writeback` policy. Repeating a call changes nothing more. The credential ends with the run.',
    body: WritebackRequest,
    response: WritebackResult,
    errors: [
      ...errors,
      'output_policy_unsatisfiable',
      'output_operation_denied',
      'output_row_conflict',
      'not_found',
    ],
  }),
  sendCommandOutput: route({
    ...callback,
    path: `${callbackPrefix}/command-output/{token_id}`,
    summary: 'Send the inputs of the command of a run',
    description:
      'For runs whose version has a `custom_table_command` policy: once per run. Repeating the same inputs returns the first answer.',
    body: CommandOutputRequest,
    response: CommandExecution,
    errors: [...errors, 'output_command_stale', 'output_command_conflict'],
  }),
}
