import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import {
  chatroomPageSizeDefault,
  draftBodyMaxBytes,
  runInputMaxBytes,
  runSubmitBodyMaxBytes,
} from '../limits.ts'
import { listQuery, pageFields, repeatable } from '../pagination.ts'
import { QuickRun, QuickRunRequest } from '../resources/quick-run.ts'
import { ManualRunSubmitRequest, RunDetail, RunList, RunRetryRequest } from '../resources/run.ts'
import { ArtifactDownloadCapability, RunArtifactList } from '../resources/run-artifact.ts'
import { RunContent } from '../resources/run-content.ts'
import { Strict } from '../schema.ts'
import { runStates } from '../states/run-states.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const chatroom = `${sandboxPrefix}/chatrooms/{cid}` as const
const runs = `${chatroom}/runs` as const
const run = `${runs}/{rid}` as const

const ChatroomParams = Strict({ cid: Identifier })
export const RunParams = Strict({ cid: Identifier, rid: Identifier })
const ArtifactParams = Strict({ cid: Identifier, rid: Identifier, aid: Identifier })

/** A sandbox-scope key sees and touches the runs it submitted itself, and no others. */
const tenant = { tag: 'Runs', access: 'tenant', restrictedKey: 'own' } as const

/** What any request that queues a run may meet. */
const stagingErrors = [
  'not_found',
  'invalid_content_length',
  'request_too_large',
  'input_not_stageable',
  'input_staging_unavailable',
] as const
const versionErrors = [
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
const queueErrors = [
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

/** Runs of a chatroom and what they leave (contract part 2, "Chatroom runs"). */
export const runRoutes = {
  submitRun: route({
    ...tenant,
    restrictedKey: 'allowed',
    method: 'POST',
    path: runs,
    summary: 'Submit a run',
    params: ChatroomParams,
    body: ManualRunSubmitRequest,
    maxBodyBytes: runSubmitBodyMaxBytes,
    idempotent: true,
    response: RunDetail,
    errors: [...stagingErrors, ...versionErrors, ...queueErrors],
  }),
  listRuns: route({
    ...tenant,
    method: 'GET',
    path: runs,
    summary: 'List the runs of a chatroom, newest first',
    params: ChatroomParams,
    query: Type.Object({ ...pageFields(chatroomPageSizeDefault), status: repeatable(runStates) }),
    response: RunList,
    errors: ['not_found'],
  }),
  readRun: route({
    ...tenant,
    method: 'GET',
    path: run,
    summary: 'Read a run; poll it until terminal_at is set',
    params: RunParams,
    response: RunDetail,
    errors: ['not_found'],
  }),
  readRunContent: route({
    ...tenant,
    method: 'GET',
    path: `${run}/content`,
    summary: 'See what a run holds',
    params: RunParams,
    response: RunContent,
    errors: ['not_found'],
  }),
  listRunArtifacts: route({
    ...tenant,
    method: 'GET',
    path: `${run}/artifacts`,
    summary: 'List the artifacts of a run by path',
    params: RunParams,
    query: listQuery(chatroomPageSizeDefault),
    response: RunArtifactList,
    errors: ['not_found'],
  }),
  createDownloadCapability: route({
    ...tenant,
    method: 'POST',
    path: `${run}/artifacts/{aid}/download`,
    summary: 'Get leave to download an artifact',
    params: ArtifactParams,
    response: ArtifactDownloadCapability,
    errors: ['not_found', 'capability_unavailable'],
  }),
  cancelRun: route({
    ...tenant,
    method: 'POST',
    path: `${run}/cancel`,
    summary: 'Cancel a run; a run that has ended is returned as it is',
    params: RunParams,
    response: RunDetail,
    errors: ['not_found'],
  }),
  retryRun: route({
    ...tenant,
    restrictedKey: 405,
    method: 'POST',
    path: `${run}/retry`,
    summary: 'Run the same version again, with the same input or another one',
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
    ...tenant,
    restrictedKey: 403,
    method: 'POST',
    path: `${chatroom}/quick-run`,
    summary: 'Make a hidden task, publish it and queue a run of it, all or nothing',
    params: ChatroomParams,
    body: QuickRunRequest,
    maxBodyBytes: draftBodyMaxBytes + runInputMaxBytes,
    idempotent: true,
    response: QuickRun,
    errors: [
      ...stagingErrors,
      'script_too_large',
      'timeout_exceeds_ceiling',
      'environment_version_not_ready',
      ...queueErrors,
    ],
  }),
}
