import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { keptWith } from '../api/kept-answer.ts'
import { apiQuery } from '../api/queries.ts'
import { isStreamUp } from '../live/held-stream.ts'

const againMs = 10_000

interface Estimated {
  cid: string
  versionId: string
  /** That of the version if undefined. */
  timeoutSeconds: number | undefined
}

/** Price and wait of a run that is submitted now. The last answer about the version stays until the next one is there. */
export const estimateOf = ({ cid, versionId, timeoutSeconds }: Estimated) => ({
  ...apiQuery(allRoutes.estimateRun, {
    params: { cid },
    query: {
      task_version_id: versionId,
      ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
    },
  }),
  placeholderData: keptWith({ cid, task_version_id: versionId }, 'cid', 'task_version_id'),
  refetchInterval: () => !isStreamUp.get() && againMs,
})
