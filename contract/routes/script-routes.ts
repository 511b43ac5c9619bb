import { about } from '../about.ts'
import { TaskId, TaskVersionId } from '../identifiers.ts'
import { runSubmitBodyMaxBytes } from '../limits.ts'
import { InputPreview, InputPreviewRequest } from '../resources/tasks/input-preview.ts'
import { BundleUpload, ScriptTarget, ScriptUpload } from '../resources/tasks/task-upload.ts'
import { TaskVersion } from '../resources/tasks/task-version.ts'
import { Strict } from '../schema.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const task = `${sandboxPrefix}/tasks/{id}` as const
const version = `${task}/versions/{vid}` as const

const TaskParams = Strict({ id: TaskId })
const VersionParams = Strict({ id: TaskId, vid: TaskVersionId })

const tenant = { tag: 'Tasks' } as const

const scriptErrors = ['script_too_large', 'script_not_utf8', 'script_contains_nul'] as const
const stagingErrors = [
  'staging_slot_exhausted',
  'upload_rate_limited',
  'storage_quota_exceeded',
  'disk_space_low',
] as const

/**
 * File uploads for drafts, and input previews (contract part 2, "Tasks, versions, shares"). A multipart body has one
 * part, the file `file`.
 */
export const scriptRoutes = {
  uploadScript: route({
    action: 'task.upload_script',
    ...tenant,
    method: 'POST',
    path: `${task}/script-uploads`,
    summary: 'Upload a script and get a handle for drafts of the task',
    description:
      'One part, `file`: UTF-8 text of at most 1 MiB. The handle lasts 24 hours and can be used more than once.',
    params: TaskParams,
    bodyKind: 'multipart',
    response: ScriptUpload,
    errors: ['not_found', 'task_archived', ...scriptErrors, ...stagingErrors],
  }),
  uploadBundle: route({
    action: 'task.change',
    ...tenant,
    method: 'POST',
    path: `${task}/bundle-uploads`,
    summary: 'Upload files as zip or tar.gz and get a handle for drafts of the task',
    description:
      'One part, `file`, at most 64 MiB and 2000 files. The files land below `/workspace` before the scripts start.',
    params: TaskParams,
    bodyKind: 'multipart',
    response: BundleUpload,
    errors: [
      'not_found',
      'task_archived',
      'bundle_too_large',
      'bundle_path_forbidden',
      'bundle_invalid',
      ...stagingErrors,
      'storage_unavailable',
    ],
  }),
  putScriptFile: route({
    action: 'task.change',
    ...tenant,
    method: 'POST',
    path: `${version}/script-file`,
    summary: 'Replace a script of a draft with a file',
    description: 'One part, `file`: UTF-8 text of at most 1 MiB.',
    params: VersionParams,
    query: Strict({ target: about('Script that the file replaces.', ScriptTarget) }),
    bodyKind: 'multipart',
    response: TaskVersion,
    errors: [
      'not_found',
      'task_archived',
      'illegal_transition',
      'environment_version_not_ready',
      'job_contract_invalid',
      'input_staging_unavailable',
      'staging_slot_exhausted',
      'storage_quota_exceeded',
      'disk_space_low',
      ...scriptErrors,
    ],
  }),
  previewInput: route({
    action: 'task.read',
    ...tenant,
    method: 'POST',
    path: `${version}/input-preview`,
    summary: 'Show what a run would receive for an input, without starting it',
    description:
      "Answers with the exact file that the scripts would read, and with what does not fit the version's schema.",
    params: VersionParams,
    body: InputPreviewRequest,
    maxBodyBytes: runSubmitBodyMaxBytes,
    response: InputPreview,
    errors: ['not_found', 'input_staging_unavailable'],
  }),
}
