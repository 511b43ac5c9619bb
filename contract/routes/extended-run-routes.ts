import { Type } from 'typebox'
import { about } from '../about.ts'
import {
  chatroomPageSizeDefault,
  draftBodyMaxBytes,
  extendedSubmitBodyMaxBytes,
  runInputMaxBytes,
} from '../limits.ts'
import { pageFields, repeatable } from '../pagination.ts'
import {
  ExtendedRun,
  ExtendedRunList,
  ExtendedSubmitRequest,
  MetadataFilters,
} from '../resources/runs/extended-run.ts'
import { QuickRun, SessionQuickRunRequest } from '../resources/runs/quick-run.ts'
import { runStates } from '../states/run-states.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import {
  ChatroomParams,
  queueErrors,
  quickRunErrors,
  RunParams,
  stagingErrors,
  versionErrors,
} from './run-routes.ts'
import { runSessionErrors } from './session-routes.ts'

const runs = `${extensionPrefix}/chatrooms/{cid}/runs` as const
const tenant = { tag: 'Runs' } as const

/** Errors of every request that gives files to a run. */
export const fileErrors = ['input_file_not_found', 'input_files_too_large'] as const

/** Runs with their files and metadata (contract part 3, D6). */
export const extendedRunRoutes = {
  submitExtendedRun: route({
    ...tenant,
    action: 'run.submit',
    method: 'POST',
    path: runs,
    summary: 'Submit a run with files, metadata and a session',
    description:
      'As submitRun, which takes none of them. The job finds the files below `/workspace/inputs`, read-only. An unknown, foreign or ended file is `input_file_not_found`, with its location in `detail.errors`, and nothing is queued.',
    params: ChatroomParams,
    body: ExtendedSubmitRequest,
    maxBodyBytes: extendedSubmitBodyMaxBytes,
    idempotent: true,
    response: ExtendedRun,
    errors: [...stagingErrors, ...fileErrors, ...runSessionErrors, ...versionErrors, ...queueErrors],
  }),
  quickRunInSession: route({
    ...tenant,
    action: 'run.quick',
    method: 'POST',
    path: `${extensionPrefix}/chatrooms/{cid}/quick-runs`,
    summary: 'Quick-run scripts with a session',
    description:
      'As quickRun, which takes no session: the scripts find the files of `session` in `/workspace/session`, and what they leave there is kept if they end by themselves.',
    params: ChatroomParams,
    body: SessionQuickRunRequest,
    maxBodyBytes: draftBodyMaxBytes + runInputMaxBytes,
    idempotent: true,
    response: QuickRun,
    errors: [...quickRunErrors, ...runSessionErrors],
  }),
  listExtendedRuns: route({
    ...tenant,
    action: 'run.list',
    method: 'GET',
    path: runs,
    summary: 'List the runs of a chatroom with their files and metadata, newest first',
    description:
      'Filters by state and by metadata: `metadata=external_user=U1` may be repeated, and all pairs must match.',
    params: ChatroomParams,
    query: Type.Object({
      ...pageFields(chatroomPageSizeDefault),
      status: about('Only runs in one of these states.', repeatable(runStates)),
      metadata: about(
        'Only runs with this pair, as `key=value`; at most 4, which all must match.',
        Type.Optional(MetadataFilters),
        ['external_user=line:U4af49'],
      ),
    }),
    response: ExtendedRunList,
    errors: ['not_found'],
  }),
  readExtendedRun: route({
    ...tenant,
    action: 'run.read',
    method: 'GET',
    path: `${runs}/{rid}`,
    summary: 'Read a run with its files and metadata',
    description: 'Both are empty once the content of the run has expired.',
    params: RunParams,
    response: ExtendedRun,
    errors: ['not_found'],
  }),
}
