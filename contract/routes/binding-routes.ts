import { BindingId } from '../identifiers.ts'
import {
  Binding,
  BindingAcceptVersionRequest,
  BindingCreateRequest,
  BindingRevokeRequest,
} from '../resources/tasks/binding.ts'
import { Strict } from '../schema.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const bindings = `${sandboxPrefix}/bindings` as const
const binding = `${bindings}/{id}` as const

const BindingParams = Strict({ id: BindingId })

const tenant = { action: 'binding.manage', tag: 'Bindings' } as const

/** Bindings by id, for managers of the room (contract part 2, "Bindings"). */
export const bindingRoutes = {
  createBinding: route({
    ...tenant,
    method: 'POST',
    path: bindings,
    summary: 'Pin a version of a shared task in a chatroom; same effect as enabling it',
    description: 'The task must be shared with the room, and the version be published and active.',
    body: BindingCreateRequest,
    response: Binding,
    errors: [
      'not_found',
      'task_not_shared_to_room',
      'task_archived',
      'version_not_runnable',
      'storage_quota_exceeded',
      'disk_space_low',
    ],
  }),
  readBinding: route({
    ...tenant,
    method: 'GET',
    path: binding,
    summary: 'Read a binding, also a revoked one',
    description: 'One enablement of one task in one room.',
    params: BindingParams,
    response: Binding,
    errors: ['not_found'],
  }),
  acceptBindingVersion: route({
    ...tenant,
    method: 'POST',
    path: `${binding}/accept-version`,
    summary: 'Move the pin to a newer version of the task',
    description: 'For when `update_available` is true.',
    params: BindingParams,
    body: BindingAcceptVersionRequest,
    response: Binding,
    errors: [
      'not_found',
      'task_not_shared_to_room',
      'task_archived',
      'version_not_runnable',
      'illegal_transition',
    ],
  }),
  revokeBinding: route({
    ...tenant,
    method: 'POST',
    path: `${binding}/revoke`,
    summary: 'Remove the task from the room’s menu; its share stays',
    description: 'The room can enable the task again as long as the share lives.',
    params: BindingParams,
    body: BindingRevokeRequest,
    bodyOptional: true,
    response: Binding,
    errors: ['not_found', 'illegal_transition'],
  }),
}
