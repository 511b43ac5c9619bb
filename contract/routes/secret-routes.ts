import { Type } from 'typebox'
import { about } from '../about.ts'
import { ChatroomId, SecretApprovalId, SecretId, TaskId } from '../identifiers.ts'
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

const TaskParams = Strict({ id: TaskId })
const SecretParams = Strict({ id: SecretId })
const ApprovalParams = Strict({ id: SecretApprovalId })

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
    'storage_quota_exceeded',
    'sandbox_secret_pepper_missing',
    'sandbox_vault_unconfigured',
    'disk_space_low',
  ],
} as const

/** Errors of every request that approves a version. */
export const approvalErrors = [
  'not_found',
  'task_archived',
  'task_version_not_published',
  'task_version_digest_mismatch',
  'secret_limit_reached',
  'storage_quota_exceeded',
  'disk_space_low',
] as const

const approve = {
  ...tenant,
  action: 'secret.approve',
  method: 'POST',
  body: SecretApprovalCreateRequest,
  response: SecretApproval,
  errors: approvalErrors,
} as const

const revokeApproval = {
  ...tenant,
  action: 'secret.approve',
  method: 'POST',
  params: ApprovalParams,
  body: SecretApprovalRevokeRequest,
  bodyOptional: true,
  response: SecretApproval,
  errors: ['not_found', 'illegal_transition'],
} as const

/** For managers of the consumer (contract part 2, "Secrets and approvals" and "Capability and management queries"). */
export const secretRoutes = {
  createSecret: route({
    ...write,
    path: secrets,
    summary: 'Store the first value of a slot',
    description:
      'The value is encrypted by the client and is never returned. An encrypted value counts for the slot that it is first sent to, and does not open for another one. Use rotateSecret for a slot that has a value; this one answers 409 `illegal_transition`.',
  }),
  rotateSecret: route({
    ...write,
    path: `${secrets}/rotate`,
    summary: 'Replace the value of a slot',
    description: 'Runs that start from then on get the new value.',
  }),
  revokeSecret: route({
    ...tenant,
    method: 'POST',
    path: `${secrets}/revoke`,
    summary: 'Remove the value of a slot',
    description: 'Runs that start from then on do not get it.',
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
    description: 'Name the consumer: the room, department or company that a secret is supplied for.',
    query: Type.Object({
      consumer_scope: about('Kind of the consumer.', Scope),
      consumer_id: about('Identifier of the consumer.', ChatroomId),
      task_id: about('Only secrets for this task.', Type.Optional(TaskId)),
      slot_name: about('Only secrets for slots of this name.', Type.Optional(SecretSlotName), 'API_TOKEN'),
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
    description: 'No route returns a value.',
    params: SecretParams,
    response: SecretBinding,
    errors: ['not_found'],
  }),
  listTaskSecrets: route({
    ...tenant,
    action: 'task.read',
    method: 'GET',
    path: `${task}/secrets`,
    summary: 'List the secrets of a task whose consumers the caller manages, without their values',
    description: 'For who looks after a task that needs secrets.',
    params: TaskParams,
    query: listQuery(catalogPageSizeDefault),
    response: SecretBindingList,
    errors: ['not_found'],
  }),
  createSecretApproval: route({
    ...approve,
    path: approvals,
    summary: 'Approve that an exact version uses secrets of a consumer',
    description:
      'Without it, runs do not get secrets of a consumer that does not own the task. It counts for exactly that version and those slots.',
  }),
  revokeSecretApproval: route({
    ...revokeApproval,
    path: `${approvals}/{id}/revoke`,
    summary: 'Revoke an approval',
    description: 'Runs that need it do not start from then on.',
  }),
  createSharedTaskSecretApproval: route({
    ...approve,
    path: approvalsAlias,
    summary: 'The same as createSecretApproval',
    description: 'Kept for older clients.',
  }),
  revokeSharedTaskSecretApproval: route({
    ...revokeApproval,
    path: `${approvalsAlias}/{id}/revoke`,
    summary: 'The same as revokeSecretApproval',
    description: 'Kept for older clients.',
  }),
  listTaskSecretApprovals: route({
    ...tenant,
    action: 'task.read',
    method: 'GET',
    path: `${task}/secret-approvals`,
    summary: 'List the approvals of a task whose consumers the caller manages',
    description: 'Which versions may use whose secrets.',
    params: TaskParams,
    query: listQuery(catalogPageSizeDefault),
    response: SecretApprovalList,
    errors: ['not_found'],
  }),
}
