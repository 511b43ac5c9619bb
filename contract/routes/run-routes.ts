import { Type } from 'typebox'
import { about } from '../about.ts'
import { ArtifactId, ChatroomId, RunId } from '../identifiers.ts'
import {
  chatroomPageSizeDefault,
  draftBodyMaxBytes,
  runInputMaxBytes,
  runSubmitBodyMaxBytes,
} from '../limits.ts'
import { listQuery, pageFields, repeatable } from '../pagination.ts'
import { QuickRun, QuickRunRequest } from '../resources/runs/quick-run.ts'
import { ManualRunSubmitRequest, RunDetail, RunList, RunRetryRequest } from '../resources/runs/run.ts'
import { ArtifactDownloadCapability, RunArtifactList } from '../resources/runs/run-artifact.ts'
import { RunContent } from '../resources/runs/run-content.ts'
import { Strict } from '../schema.ts'
import { runStates } from '../states/run-states.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const chatroom = `${sandboxPrefix}/chatrooms/{cid}` as const
const runs = `${chatroom}/runs` as const
const run = `${runs}/{rid}` as const

export const ChatroomParams = Strict({ cid: ChatroomId })
export const RunParams = Strict({ cid: ChatroomId, rid: RunId })
export const ArtifactParams = Strict({ cid: ChatroomId, rid: RunId, aid: ArtifactId })

const tenant = { tag: 'Runs' } as const

/** Errors of every request that queues a run. */
export const stagingErrors = [
  'not_found',
  'invalid_content_length',
  'request_too_large',
  'input_not_stageable',
  'input_staging_unavailable',
] as const
export const versionErrors = [
  'input_schema_violation',
  'version_not_runnable',
  'content_scrubbed_irreversible',
  'task_bundle_runner_unsupported',
  'output_policy_author_denied',
  'writeback_authority_denied',
  'output_policy_unsatisfiable',
  'output_policy_command_not_found',
  'output_policy_schema_mismatch',
  'sandbox_writeback_key_unavailable',
] as const
export const queueErrors = [
  'storage_quota_exceeded',
  'disk_space_low',
  'sandbox_queued_run_limit',
  'queue_full',
  'budget_reservation_exceeded',
  'no_active_region',
  'missing_price',
  'invalid_envelope',
  'missing_window',
] as const

export const quickRunErrors = [
  ...stagingErrors,
  'script_too_large',
  'timeout_exceeds_ceiling',
  'environment_version_not_ready',
  ...queueErrors,
] as const

/** Runs of a chatroom and their results (contract part 2, "Chatroom runs"). */
export const runRoutes = {
  submitRun: route({
    action: 'run.submit',
    ...tenant,
    method: 'POST',
    path: runs,
    summary: 'Submit a run',
    description:
      'Queues one run of a published version that is shared with the room. Poll readRun, or use waitForRun, followRunEvents or runAndWait.',
    params: ChatroomParams,
    body: ManualRunSubmitRequest,
    maxBodyBytes: runSubmitBodyMaxBytes,
    idempotent: true,
    response: RunDetail,
    errors: [...stagingErrors, ...versionErrors, ...queueErrors],
  }),
  listRuns: route({
    action: 'run.list',
    ...tenant,
    method: 'GET',
    path: runs,
    summary: 'List the runs of a chatroom, newest first',
    description: 'A sandbox-scope key sees only the runs that it submitted.',
    params: ChatroomParams,
    query: Type.Object({
      ...pageFields(chatroomPageSizeDefault),
      status: about('Only runs in one of these states.', repeatable(runStates)),
    }),
    response: RunList,
    errors: ['not_found'],
  }),
  readRun: route({
    action: 'run.read',
    ...tenant,
    method: 'GET',
    path: run,
    summary: 'Read a run; poll it until terminal_at is set',
    description:
      '`next_action` says why it waits, `failure_hint` how to repair what failed. To wait without polling, use waitForRun.',
    params: RunParams,
    response: RunDetail,
    errors: ['not_found'],
  }),
  readRunContent: route({
    action: 'run.read',
    ...tenant,
    method: 'GET',
    path: `${run}/content`,
    summary: 'Read which kinds of content a run has',
    description: 'Flags alone. Download with readRunOutput, readRunLog and readRunArtifact.',
    params: RunParams,
    response: RunContent,
    errors: ['not_found'],
  }),
  listRunArtifacts: route({
    action: 'run.read',
    ...tenant,
    method: 'GET',
    path: `${run}/artifacts`,
    summary: 'List the artifacts of a run by path',
    description: 'Files that the run left in its artifacts folder.',
    params: RunParams,
    query: listQuery(chatroomPageSizeDefault),
    response: RunArtifactList,
    errors: ['not_found'],
  }),
  createDownloadCapability: route({
    action: 'run.read',
    ...tenant,
    method: 'POST',
    path: `${run}/artifacts/{aid}/download`,
    summary: 'Get a capability to download an artifact',
    description:
      'The token is valid for 5 minutes and for the caller alone. Redeem it with redeemDownloadCapability.',
    params: ArtifactParams,
    response: ArtifactDownloadCapability,
    errors: ['not_found'],
  }),
  cancelRun: route({
    action: 'run.cancel',
    ...tenant,
    method: 'POST',
    path: `${run}/cancel`,
    summary: 'Cancel a run; a run that has ended is returned as it is',
    description:
      'A queued run is cancelled at once. The processes of a running one get SIGTERM and some seconds to end, and `status` is ' +
      '`cancel_requested` until then; a second request kills them.',
    params: RunParams,
    response: RunDetail,
    errors: ['not_found'],
  }),
  retryRun: route({
    action: 'run.retry',
    ...tenant,
    method: 'POST',
    path: `${run}/retry`,
    summary: 'Run the same version again, with the same input or another one',
    description:
      'A new run with a new identifier, whose `retry_of_run_id` names this one. This one must have ended.',
    params: RunParams,
    body: RunRetryRequest,
    bodyOptional: true,
    maxBodyBytes: runSubmitBodyMaxBytes,
    idempotent: true,
    response: RunDetail,
    errors: [
      ...stagingErrors,
      'retry_not_eligible',
      'retry_input_unavailable',
      ...versionErrors,
      ...queueErrors,
    ],
  }),
  quickRun: route({
    action: 'run.quick',
    ...tenant,
    method: 'POST',
    path: `${chatroom}/quick-run`,
    summary: 'Create and publish a hidden task and queue a run of it, atomically',
    description: 'For scripts that are run once. The task is hidden from lists; retry the run with retryRun.',
    params: ChatroomParams,
    body: QuickRunRequest,
    maxBodyBytes: draftBodyMaxBytes + runInputMaxBytes,
    idempotent: true,
    response: QuickRun,
    errors: quickRunErrors,
  }),
}
