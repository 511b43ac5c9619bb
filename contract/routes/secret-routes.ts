import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import { Scope } from '../resources/companies/owner-scope.ts'
import {
  SecretApproval,
  SecretApprovalCreateRequest,
  SecretApprovalList,
  SecretApprovalRevokeRequest,
} from '../resources/secrets/secret-approval.ts'
import {
  SecretBinding,
  SecretBindingList,
  SecretOperation,
  SecretRevokeRequest,
  SecretWriteRequest,
} from '../resources/secrets/secret-binding.ts'
import { SecretSlotName } from '../resources/tasks/secret-slot.ts'
import { Strict } from '../schema.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const secrets = `${sandboxPrefix}/secrets` as const
const approvals = `${sandboxPrefix}/secret-approvals` as const
const approvalsAlias = `${sandboxPrefix}/shared-task-secret-approvals` as const
const task = `${sandboxPrefix}/tasks/{id}` as const

const IdParams = Strict({ id: Identifier })

const tenant = { action: 'secret.manage', tag: 'Secrets' } as const

/**
 * The first four errors concern the value and have the array shape (contract part 2, "Secret write validation
 * errors").
 */
const write = {
  ...tenant,
  method: 'POST',
  body: SecretWriteRequest,
  idempotent: true,
  response: SecretOperation,
  errors: [
    'not_found',
    'task_archived',
    'illegal_transition',
    'secret_limit_reached',
    'sandbox_secret_pepper_missing',
    'sandbox_vault_unconfigured',
    'disk_space_low',
  ],
} as const

const approve = {
  ...tenant,
  action: 'secret.approve',
  method: 'POST',
  body: SecretApprovalCreateRequest,
  response: SecretApproval,
  errors: [
    'not_found',
    'task_archived',
    'task_version_not_published',
    'task_version_digest_mismatch',
    'secret_limit_reached',
    'disk_space_low',
  ],
} as const

const revokeApproval = {
  ...tenant,
  action: 'secret.approve',
  method: 'POST',
  params: IdParams,
  body: SecretApprovalRevokeRequest,
  bodyOptional: true,
  response: SecretApproval,
  errors: ['not_found', 'illegal_transition'],
} as const

/** For managers of the consumer (contract part 2, "Secrets and approvals" and "Capability and management queries"). */
export const secretRoutes = {
  createSecret: route({ ...write, path: secrets, summary: 'Store the first value of a slot' }),
  rotateSecret: route({ ...write, path: `${secrets}/rotate`, summary: 'Replace the value of a slot' }),
  revokeSecret: route({
    ...tenant,
    method: 'POST',
    path: `${secrets}/revoke`,
    summary: 'Remove the value of a slot',
    body: SecretRevokeRequest,
    idempotent: true,
    response: SecretOperation,
    errors: ['not_found', 'illegal_transition', 'sandbox_secret_pepper_missing'],
  }),
  listSecrets: route({
    ...tenant,
    method: 'GET',
    path: secrets,
    summary: 'List the secrets of a consumer, without their values',
    query: Type.Object({
      consumer_scope: Scope,
      consumer_id: Identifier,
      task_id: Type.Optional(Identifier),
      slot_name: Type.Optional(SecretSlotName),
      ...listQuery(catalogPageSizeDefault).properties,
    }),
    response: SecretBindingList,
    errors: ['not_found'],
  }),
  readSecret: route({
    ...tenant,
    method: 'GET',
    path: `${secrets}/{id}`,
    summary: 'Read a secret without its value',
    params: IdParams,
    response: SecretBinding,
    errors: ['not_found'],
  }),
  listTaskSecrets: route({
    ...tenant,
    action: 'task.read',
    method: 'GET',
    path: `${task}/secrets`,
    summary: 'List the secrets of a task whose consumers the caller manages, without their values',
    params: IdParams,
    query: listQuery(catalogPageSizeDefault),
    response: SecretBindingList,
    errors: ['not_found'],
  }),
  createSecretApproval: route({
    ...approve,
    path: approvals,
    summary: 'Approve that an exact version uses secrets of a consumer',
  }),
  revokeSecretApproval: route({
    ...revokeApproval,
    path: `${approvals}/{id}/revoke`,
    summary: 'Revoke an approval',
  }),
  createSharedTaskSecretApproval: route({
    ...approve,
    path: approvalsAlias,
    summary: 'The same as createSecretApproval',
  }),
  revokeSharedTaskSecretApproval: route({
    ...revokeApproval,
    path: `${approvalsAlias}/{id}/revoke`,
    summary: 'The same as revokeSecretApproval',
  }),
  listTaskSecretApprovals: route({
    ...tenant,
    action: 'task.read',
    method: 'GET',
    path: `${task}/secret-approvals`,
    summary: 'List the approvals of a task whose consumers the caller manages',
    params: IdParams,
    query: listQuery(catalogPageSizeDefault),
    response: SecretApprovalList,
    errors: ['not_found'],
  }),
}
