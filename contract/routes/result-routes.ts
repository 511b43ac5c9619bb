import { Type } from 'typebox'
import { about } from '../about.ts'
import { chatroomPageSizeDefault, extendedSubmitBodyMaxBytes } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import { ExtendedRun } from '../resources/runs/extended-run.ts'
import { downloadCapabilityHeader, RunArtifactList } from '../resources/runs/run-artifact.ts'
import { RunRemarks } from '../resources/runs/run-remark.ts'
import { RunAndWaitRequest, RunResult, WaitSeconds } from '../resources/runs/run-result.ts'
import { BuildStateEvent, RunStateEvent } from '../resources/runs/state-event.ts'
import { BuildParams } from './environment-routes.ts'
import { fileErrors } from './extended-run-routes.ts'
import { extensionPrefix } from './prefixes.ts'
import { eventStreamType, route } from './route.ts'
import {
  ArtifactParams,
  ChatroomParams,
  queueErrors,
  RunParams,
  stagingErrors,
  versionErrors,
} from './run-routes.ts'
import { runSessionErrors } from './session-routes.ts'

const chatroom = `${extensionPrefix}/chatrooms/{cid}` as const
const run = `${chatroom}/runs/{rid}` as const
const build = `${extensionPrefix}/environments/{id}/versions/{vid}/builds/{aid}` as const

const tenant = { tag: 'Runs', action: 'run.read_result' } as const
const download = { ...tenant, method: 'GET', ranges: true } as const
const downloadErrors = ['not_found', 'downloads_busy', 'range_not_satisfiable'] as const
const EventQuery = Type.Object({
  after: about(
    'Position of the last event that is known; `Last-Event-ID` has priority.',
    Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    0,
  ),
})

/**
 * Results of runs for callers that may read the run, without a public link, and waiting for them (contract part 3,
 * D6).
 */
export const resultRoutes = {
  readRunOutput: route({
    ...download,
    path: `${run}/output`,
    summary: 'Download the output of a run; accepts a Range header',
    description:
      'The bytes that the job wrote to its output file, at most 16 MiB. A run without an output answers 404.',
    params: RunParams,
    errors: downloadErrors,
  }),
  listRunFiles: route({
    ...tenant,
    action: 'run.read',
    method: 'GET',
    path: `${run}/artifacts`,
    summary: 'List the artifacts of a run by path',
    description: 'The same as listRunArtifacts, beside the route that downloads them.',
    params: RunParams,
    query: listQuery(chatroomPageSizeDefault),
    response: RunArtifactList,
    errors: ['not_found'],
  }),
  readRunArtifact: route({
    ...download,
    path: `${run}/artifacts/{aid}`,
    summary: 'Download one artifact; accepts a Range header',
    description: 'The bytes of one file. The name of the file is in `Content-Disposition`.',
    params: ArtifactParams,
    errors: downloadErrors,
  }),
  redeemDownloadCapability: route({
    ...download,
    path: `${run}/artifacts/{aid}/download`,
    summary: 'Download one artifact with a download capability of the caller; accepts a Range header',
    description: 'Only the caller to whom createDownloadCapability gave the token can redeem it.',
    params: ArtifactParams,
    requestHeaders: Type.Object({
      [downloadCapabilityHeader]: about(
        'The `capability_token` of createDownloadCapability.',
        Type.String(),
        'cap_9b1f6c2e',
      ),
    }),
    errors: [...downloadErrors, 'download_capability_invalid'],
  }),
  downloadRunFiles: route({
    ...tenant,
    method: 'GET',
    path: `${run}/files.zip`,
    summary: 'Download output, log and artifacts of a run as one zip archive',
    description:
      'It has `output.json`, `log.txt` and `artifacts/`, as far as they exist. A run that left nothing answers 404.',
    mediaType: 'application/zip',
    params: RunParams,
    errors: ['not_found', 'downloads_busy'],
  }),
  readRunRemarks: route({
    ...tenant,
    action: 'run.read',
    method: 'GET',
    path: `${run}/remarks`,
    summary: 'Read remarks about a run that has ended',
    description:
      'Facts that its author should know although the run may have completed: that it wrote no output, or that none of its artifacts was kept, and which file broke which rule. Empty until the run has ended.',
    params: RunParams,
    response: RunRemarks,
    errors: ['not_found'],
  }),
  followRunEvents: route({
    ...tenant,
    action: 'run.read',
    method: 'GET',
    path: `${run}/events`,
    summary:
      'Follow the states of a run as server-sent events, until it ends or for at most 15 minutes a connection',
    description:
      'Starts with the states that the run has had, and ends with an `end` event. Connect again with `Last-Event-ID` to continue. After the content of a run was deleted, there is only the `end` event.',
    params: RunParams,
    query: EventQuery,
    mediaType: eventStreamType,
    events: RunStateEvent,
    errors: ['not_found', 'watchers_busy'],
  }),
  followBuildEvents: route({
    tag: 'Environments',
    action: 'environment.read',
    method: 'GET',
    path: `${build}/events`,
    summary:
      'Follow the states of a build as server-sent events, until it ends or for at most 15 minutes a connection',
    description:
      'Starts with the states that the build has had in the last thirty days, and ends with an `end` event. Connect again with `Last-Event-ID` to continue.',
    params: BuildParams,
    query: EventQuery,
    mediaType: eventStreamType,
    events: BuildStateEvent,
    errors: ['not_found', 'watchers_busy'],
  }),
  waitForRun: route({
    ...tenant,
    action: 'run.read',
    method: 'GET',
    path: `${run}/wait`,
    summary:
      'Wait until a run has ended, at most 60 seconds, and read it; terminal_at is set if it has ended',
    description:
      'The answer comes as soon as the run ends, or after `seconds` with the run as it is. Ask again until `terminal_at` is set.',
    params: RunParams,
    query: Type.Object({ seconds: about('Seconds to wait, at most 60.', Type.Optional(WaitSeconds), 30) }),
    response: ExtendedRun,
    errors: ['not_found', 'watchers_busy'],
  }),
  runAndWait: route({
    ...tenant,
    action: 'run.submit',
    method: 'POST',
    path: `${chatroom}/run-and-wait`,
    summary: 'Submit a run and wait for its output, at most 60 seconds',
    description:
      'One request from input to output. If the run takes longer, `state` is `keep_waiting`: go on with waitForRun. An output of more than 256 KiB is not in the answer: use readRunOutput.',
    params: ChatroomParams,
    body: RunAndWaitRequest,
    maxBodyBytes: extendedSubmitBodyMaxBytes,
    idempotent: true,
    response: RunResult,
    errors: [...stagingErrors, ...fileErrors, ...runSessionErrors, ...versionErrors, ...queueErrors],
  }),
}
