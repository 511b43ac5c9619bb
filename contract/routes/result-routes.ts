import { Type } from 'typebox'
import { chatroomPageSizeDefault, runSubmitBodyMaxBytes } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import { RunDetail } from '../resources/runs/run.ts'
import { downloadCapabilityHeader, RunArtifactList } from '../resources/runs/run-artifact.ts'
import { RunAndWaitRequest, RunResult, WaitSeconds } from '../resources/runs/run-result.ts'
import { BuildParams } from './environment-routes.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import {
  ArtifactParams,
  ChatroomParams,
  queueErrors,
  RunParams,
  stagingErrors,
  versionErrors,
} from './run-routes.ts'

const chatroom = `${extensionPrefix}/chatrooms/{cid}` as const
const run = `${chatroom}/runs/{rid}` as const
const build = `${extensionPrefix}/environments/{id}/versions/{vid}/builds/{aid}` as const

export const eventStreamType = 'text/event-stream'

const tenant = { tag: 'Runs', action: 'run.read_result' } as const
const download = { ...tenant, method: 'GET', ranges: true } as const
const downloadErrors = ['not_found', 'downloads_busy', 'range_not_satisfiable'] as const
const EventQuery = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
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
    params: RunParams,
    errors: downloadErrors,
  }),
  listRunFiles: route({
    ...tenant,
    action: 'run.read',
    method: 'GET',
    path: `${run}/artifacts`,
    summary: 'List the artifacts of a run by path',
    params: RunParams,
    query: listQuery(chatroomPageSizeDefault),
    response: RunArtifactList,
    errors: ['not_found'],
  }),
  readRunArtifact: route({
    ...download,
    path: `${run}/artifacts/{aid}`,
    summary: 'Download one artifact; accepts a Range header',
    params: ArtifactParams,
    errors: downloadErrors,
  }),
  redeemDownloadCapability: route({
    ...download,
    path: `${run}/artifacts/{aid}/download`,
    summary: 'Download one artifact with a download capability of the caller; accepts a Range header',
    params: ArtifactParams,
    requestHeaders: [downloadCapabilityHeader],
    errors: [...downloadErrors, 'download_capability_invalid'],
  }),
  downloadRunFiles: route({
    ...tenant,
    method: 'GET',
    path: `${run}/files.zip`,
    summary: 'Download output, log and artifacts of a run as one zip archive',
    mediaType: 'application/zip',
    params: RunParams,
    errors: ['not_found', 'downloads_busy'],
  }),
  followRunEvents: route({
    ...tenant,
    action: 'run.read',
    method: 'GET',
    path: `${run}/events`,
    summary:
      'Follow the states of a run as server-sent events, until it ends or for at most 15 minutes a connection',
    params: RunParams,
    query: EventQuery,
    mediaType: eventStreamType,
    errors: ['not_found', 'watchers_busy'],
  }),
  followBuildEvents: route({
    tag: 'Environments',
    action: 'environment.read',
    method: 'GET',
    path: `${build}/events`,
    summary:
      'Follow the states of a build as server-sent events, until it ends or for at most 15 minutes a connection',
    params: BuildParams,
    query: EventQuery,
    mediaType: eventStreamType,
    errors: ['not_found', 'watchers_busy'],
  }),
  waitForRun: route({
    ...tenant,
    action: 'run.read',
    method: 'GET',
    path: `${run}/wait`,
    summary:
      'Wait until a run has ended, at most 60 seconds, and read it; terminal_at is set if it has ended',
    params: RunParams,
    query: Type.Object({ seconds: Type.Optional(WaitSeconds) }),
    response: RunDetail,
    errors: ['not_found', 'watchers_busy'],
  }),
  runAndWait: route({
    ...tenant,
    action: 'run.submit',
    method: 'POST',
    path: `${chatroom}/run-and-wait`,
    summary: 'Submit a run and wait for its output, at most 60 seconds',
    params: ChatroomParams,
    body: RunAndWaitRequest,
    maxBodyBytes: runSubmitBodyMaxBytes,
    idempotent: true,
    response: RunResult,
    errors: [...stagingErrors, ...versionErrors, ...queueErrors],
  }),
}
