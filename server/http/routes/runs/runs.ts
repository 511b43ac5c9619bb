import { estimateRoutes } from '@sandbox-jobs/contract/routes/estimate-routes.ts'
import { extendedRunRoutes } from '@sandbox-jobs/contract/routes/extended-run-routes.ts'
import { runInputRoutes } from '@sandbox-jobs/contract/routes/run-input-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { listExtendedRuns, readExtendedRun } from '../../../runs/read/extended-runs.ts'
import {
  cancelReadableRun,
  listRoomRuns,
  readRun,
  readRunContent,
  showSnapshot,
} from '../../../runs/read/read-runs.ts'
import {
  type CapabilityDeps,
  createDownloadCapability,
  listRunArtifacts,
} from '../../../runs/read/results/read-artifacts.ts'
import { readLastRun, readRunInput } from '../../../runs/read/run-input.ts'
import type { RunSnapshots } from '../../../runs/read/run-snapshots.ts'
import type { RunServices } from '../../../runs/run-services.ts'
import { askParts, nothingAsked } from '../../../runs/submit/asked-parts.ts'
import { estimateRun } from '../../../runs/submit/estimate-run.ts'
import { quickRun } from '../../../runs/submit/quick-run.ts'
import { retryRun } from '../../../runs/submit/retry-run.ts'
import { submitExtendedRun } from '../../../runs/submit/submit-extended-run.ts'
import { type SubmitDeps, submitRun } from '../../../runs/submit/submit-run.ts'
import type { Mount } from '../../mount.ts'
import { untrustedHeaders } from '../../responses/send-download.ts'
import { requireFullKey } from '../../scopes.ts'

/** Runs of a chatroom (contract part 2, "Chatroom runs"). */
export function mountRunRoutes(
  mount: Mount,
  services: RunServices & CapabilityDeps & SubmitDeps & { readings: RunSnapshots },
): void {
  mount(runRoutes.submitRun, ({ principal, params, body, idempotencyKey }) =>
    submitRun(services, { principal, chatroomId: params.cid, idempotencyKey, body }),
  )
  mount(runRoutes.listRuns, ({ principal, params, query }) =>
    listRoomRuns(services, principal, params.cid, query),
  )
  mount(
    runRoutes.readRun,
    ({ principal, params, prefetched }) => {
      const address = addressOf(params)
      return prefetched?.snapshot
        ? showSnapshot(services, principal, address, prefetched.snapshot)
        : readRun(services, principal, address)
    },
    (params: RunParams) => services.readings.begin(addressOf(params)),
  )
  mount(runRoutes.readRunContent, ({ principal, params }) =>
    readRunContent(services, principal, addressOf(params)),
  )
  mount(runRoutes.listRunArtifacts, ({ principal, params, query }) =>
    listRunArtifacts(services, principal, { ...addressOf(params), query }),
  )
  mount(runRoutes.createDownloadCapability, ({ principal, params }) =>
    createDownloadCapability(services, principal, { ...addressOf(params), artifactId: params.aid }),
  )
  mount(runRoutes.cancelRun, ({ principal, params }) =>
    cancelReadableRun(services, principal, addressOf(params)),
  )
  mount(runRoutes.retryRun, ({ principal, params, body, idempotencyKey }) =>
    retryRun(services, { principal, ...addressOf(params), idempotencyKey, body }),
  )
  mount(runRoutes.quickRun, ({ principal, params, body, idempotencyKey }) =>
    quickRun(services, {
      principal,
      chatroomId: params.cid,
      idempotencyKey,
      body,
      asked: nothingAsked,
    }),
  )
}

/** Runs with their files, metadata and session (contract part 3, D6). */
export function mountExtendedRunRoutes(mount: Mount, services: RunServices & SubmitDeps): void {
  mount(extendedRunRoutes.submitExtendedRun, async ({ principal, params, body, idempotencyKey }) => {
    if (body.session) requireFullKey(principal)
    return submitExtendedRun(services, { principal, chatroomId: params.cid, idempotencyKey, body })
  })
  mount(extendedRunRoutes.quickRunInSession, ({ principal, params, body, idempotencyKey }) => {
    const { session, ...quick } = body
    const caller = { principal, chatroomId: params.cid }
    const asked = askParts(services, caller, { ...(session && { session }) })
    return quickRun(services, { ...caller, idempotencyKey, body: quick, asked })
  })
  mount(estimateRoutes.estimateRun, ({ principal, params, query }) =>
    estimateRun(services, principal, {
      chatroomId: params.cid,
      taskVersionId: query.task_version_id,
      timeoutSeconds: query.timeout_seconds,
    }),
  )
  mount(runInputRoutes.readRunInput, async ({ principal, params, reply }) => {
    const input = await readRunInput(services, principal, addressOf(params))
    return reply.headers({ ...untrustedHeaders, 'content-type': 'application/json' }).send(input)
  })
  mount(runInputRoutes.readLastRun, ({ principal, params, query }) =>
    readLastRun(services, principal, { chatroomId: params.cid, taskId: query.task_id }),
  )
  mount(extendedRunRoutes.listExtendedRuns, ({ principal, params, query }) =>
    listExtendedRuns(services, principal, { chatroomId: params.cid, query }),
  )
  mount(extendedRunRoutes.readExtendedRun, ({ principal, params }) =>
    readExtendedRun(services, principal, { chatroomId: params.cid, runId: params.rid }),
  )
}

interface RunParams {
  cid: string
  rid: string
}

const addressOf = (params: RunParams) => ({ chatroomId: params.cid, runId: params.rid })
