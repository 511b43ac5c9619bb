import { Type } from 'typebox'
import { about } from '../about.ts'
import { TaskVersionId } from '../identifiers.ts'
import { timeoutMaxSeconds } from '../limits.ts'
import { RunEstimate } from '../resources/runs/run-estimate.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ChatroomParams } from './run-routes.ts'

export const estimateRoutes = {
  estimateRun: route({
    action: 'run.submit',
    tag: 'Runs',
    method: 'GET',
    path: `${extensionPrefix}/chatrooms/{cid}/estimate`,
    summary: 'Estimate what a run would cost and how long it would wait',
    description:
      'Everything that a submission checks but its input, without submitting anything. What happens to others between the two may change the answer.',
    params: ChatroomParams,
    query: Type.Object({
      task_version_id: TaskVersionId,
      timeout_seconds: about(
        'Timeout of the run; that of the version if left out.',
        Type.Optional(Type.Integer({ minimum: 1, maximum: timeoutMaxSeconds })),
        600,
      ),
    }),
    response: RunEstimate,
    errors: ['not_found'],
  }),
}
