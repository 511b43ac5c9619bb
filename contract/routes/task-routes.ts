import { Type } from 'typebox'
import { about } from '../about.ts'
import { Digest, exampleDigest } from '../digest.ts'
import { ShareId, TaskId, TaskVersionId } from '../identifiers.ts'
import { catalogPageSizeDefault, draftBodyMaxBytes } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import {
  ShareCreateRequest,
  ShareGrant,
  ShareGrantList,
  ShareRevokeRequest,
} from '../resources/tasks/share.ts'
import { Task, TaskCreateRequest, TaskList, TaskUpdateRequest } from '../resources/tasks/task.ts'
import {
  TaskVersion,
  TaskVersionCreateRequest,
  TaskVersionList,
  TaskVersionUpdateRequest,
} from '../resources/tasks/task-version.ts'
import { Strict } from '../schema.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const tasks = `${sandboxPrefix}/tasks` as const
const task = `${tasks}/{id}` as const
const versions = `${task}/versions` as const
const version = `${versions}/{vid}` as const
const shares = `${task}/shares` as const

export const TaskParams = Strict({ id: TaskId })
const VersionParams = Strict({ id: TaskId, vid: TaskVersionId })
const ShareParams = Strict({ id: TaskId, gid: ShareId })

/** Problems of these fields are listed by `job_contract_invalid`. */
const jobContractFields = ['work_command', 'input_schema', 'input_example'] as const

const tenant = { tag: 'Tasks' } as const

/** Errors of creating or changing a draft. */
const draftErrors = [
  'not_found',
  'task_archived',
  'environment_version_not_ready',
  'job_contract_invalid',
  'script_too_large',
  'input_staging_unavailable',
  'storage_quota_exceeded',
  'disk_space_low',
  'output_policy_invalid',
  'output_policy_table_not_found',
  'output_policy_channel_table',
  'output_policy_governed_table',
  'output_policy_command_not_found',
  'output_policy_schema_mismatch',
] as const

/** Tasks, their versions and shares (contract part 2, "Tasks, versions, shares"). */
export const taskRoutes = {
  listTasks: route({
    action: 'task.list',
    ...tenant,
    method: 'GET',
    path: tasks,
    summary: 'List tasks',
    description: 'In the order of creation. Hidden tasks of quick runs are left out.',
    query: listQuery(catalogPageSizeDefault),
    response: TaskList,
    errors: [],
  }),
  createTask: route({
    action: 'task.create',
    ...tenant,
    method: 'POST',
    path: tasks,
    summary: 'Create a catalog task',
    description: 'A task is a name for versions; create and publish a version next, then share the task.',
    idempotent: 'optional',
    body: TaskCreateRequest,
    response: Task,
    errors: ['owner_scope_forbidden', 'storage_quota_exceeded', 'disk_space_low'],
  }),
  readTask: route({
    action: 'task.read',
    ...tenant,
    method: 'GET',
    path: task,
    summary: 'Read a task',
    description: 'The owner and everybody whom a share reaches may read it.',
    params: TaskParams,
    response: Task,
    errors: ['not_found'],
  }),
  updateTask: route({
    action: 'task.change',
    ...tenant,
    method: 'PATCH',
    path: task,
    summary: 'Change name, description or agent_enabled',
    description: 'Send only what changes, at least one field. The owner cannot change.',
    params: TaskParams,
    body: TaskUpdateRequest,
    response: Task,
    errors: ['not_found', 'no_fields', 'task_archived'],
  }),
  archiveTask: route({
    action: 'task.change',
    ...tenant,
    method: 'POST',
    path: `${task}/archive`,
    summary: 'Archive a task with its versions, bindings and queued runs',
    description:
      'Nobody can run it from then on: its versions are archived, its bindings revoked and its queued runs cancelled.',
    params: TaskParams,
    response: Task,
    errors: ['not_found', 'already_archived'],
  }),
  listTaskVersions: route({
    action: 'task.read',
    ...tenant,
    method: 'GET',
    path: versions,
    summary: 'List the versions of a task',
    description:
      'In the order of creation. Scripts and declarations are hidden from callers that do not own the task.',
    params: TaskParams,
    query: listQuery(catalogPageSizeDefault),
    response: TaskVersionList,
    errors: ['not_found'],
  }),
  createTaskVersion: route({
    action: 'task.change',
    ...tenant,
    method: 'POST',
    path: versions,
    summary: 'Create a draft',
    description:
      'A draft can be changed until it is published. Files come from uploadScript and uploadBundle.',
    params: TaskParams,
    body: TaskVersionCreateRequest,
    nulFields: jobContractFields,
    maxBodyBytes: draftBodyMaxBytes,
    response: TaskVersion,
    errors: draftErrors,
  }),
  readTaskVersion: route({
    action: 'task.read',
    ...tenant,
    method: 'GET',
    path: version,
    summary: 'Read a version',
    description: 'If `source_visible` is false, scripts are null because they are hidden.',
    params: VersionParams,
    response: TaskVersion,
    errors: ['not_found'],
  }),
  updateTaskVersion: route({
    action: 'task.change',
    ...tenant,
    method: 'PATCH',
    path: version,
    summary: 'Change a draft',
    description:
      'Send only what changes, at least one field. Null clears a field that may be empty. With `if_digest` nothing is changed if somebody else has changed the draft since it was read.',
    params: VersionParams,
    query: Type.Object({
      if_digest: about(
        'The `canonical_digest` that the caller has read.',
        Type.Optional(Digest),
        exampleDigest,
      ),
    }),
    body: TaskVersionUpdateRequest,
    nulFields: jobContractFields,
    maxBodyBytes: draftBodyMaxBytes,
    response: TaskVersion,
    errors: [...draftErrors, 'no_fields', 'draft_changed', 'illegal_transition'],
  }),
  publishTaskVersion: route({
    action: 'task.change',
    ...tenant,
    method: 'POST',
    path: `${version}/publish`,
    summary: 'Publish a draft; it never changes again',
    description:
      'A change of a published version is a new version. Rooms that have pinned an older one keep it.',
    params: VersionParams,
    response: TaskVersion,
    errors: [
      'not_found',
      'task_archived',
      'illegal_transition',
      'environment_version_not_ready',
      'timeout_exceeds_ceiling',
      'task_bundle_runner_unsupported',
      'output_policy_author_denied',
      'output_policy_owner_scope_unsupported',
      'output_policy_unsatisfiable',
      'output_policy_invalid',
      'output_policy_table_not_found',
      'output_policy_channel_table',
    ],
  }),
  archiveTaskVersion: route({
    action: 'task.change',
    ...tenant,
    method: 'POST',
    path: `${version}/archive`,
    summary: 'Archive a version',
    description: 'Nobody can run it from then on. Runs that have started go on.',
    params: VersionParams,
    response: TaskVersion,
    errors: ['not_found', 'illegal_transition'],
  }),
  listShares: route({
    action: 'task.share',
    ...tenant,
    method: 'GET',
    path: shares,
    summary: 'List the shares of a task, revoked ones included',
    description: 'Filter with `lifecycle` for live ones.',
    params: TaskParams,
    query: listQuery(catalogPageSizeDefault, 'all'),
    response: ShareGrantList,
    errors: ['not_found'],
  }),
  createShare: route({
    action: 'task.share',
    ...tenant,
    method: 'POST',
    path: shares,
    summary: 'Share a task with a chatroom, a department or the company',
    description:
      'Rooms that the share reaches may run the task by REST at once; enable it in a room to put it on the menu and into the hands of agents.',
    params: TaskParams,
    body: ShareCreateRequest,
    response: ShareGrant,
    errors: [
      'not_found',
      'task_archived',
      'storage_quota_exceeded',
      'disk_space_low',
      'share_already_live',
      'share_target_invalid',
      'secret_slot_policies_invalid',
    ],
  }),
  revokeShare: route({
    action: 'task.share',
    ...tenant,
    method: 'POST',
    path: `${shares}/{gid}/revoke`,
    summary: 'Revoke a share',
    description: 'Bindings that came from it no longer count, and queued runs under it do not start.',
    params: ShareParams,
    body: ShareRevokeRequest,
    bodyOptional: true,
    response: ShareGrant,
    errors: ['not_found', 'illegal_transition'],
  }),
}
