import { runWaitMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { downloadCapabilityHeader } from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { resultRoutes } from '@sandbox-jobs/contract/routes/result-routes.ts'
import type { FastifyRequest } from 'fastify'
import { openByCapability, openResult, openRunZip } from '../../../runs/downloads/read-results.ts'
import { readRunUsage } from '../../../runs/read/read-runs.ts'
import { type CapabilityDeps, listRunArtifacts } from '../../../runs/read/results/read-artifacts.ts'
import { readRunRemarks } from '../../../runs/read/results/run-remarks.ts'
import { followRunLog, openRunLog, readNetworkLog } from '../../../runs/read/run-logs.ts'
import { followRunEvents, waitForRun } from '../../../runs/read/wait-for-run.ts'
import { deleteRunContent } from '../../../runs/retention/run-retention.ts'
import type { RunServices } from '../../../runs/run-services.ts'
import { runAndWait } from '../../../runs/submit/submit-extended-run.ts'
import type { SubmitDeps } from '../../../runs/submit/submit-run.ts'
import { attachment } from '../../../storage/downloads/download-headers.ts'
import { currentCaller } from '../../caller.ts'
import type { Mount } from '../../mount.ts'
import { eventStream, eventStreamHeaders, lastEventPosition } from '../../responses/event-stream.ts'
import {
  downloadRequestOf,
  goneSignal,
  sendDownload,
  untrustedHeaders,
} from '../../responses/send-download.ts'
import { waitSignal } from '../../responses/wait-signal.ts'

/** Results of runs without a public link, and waiting for them (contract part 3, D6). */
export function mountResultRoutes(mount: Mount, services: RunServices & CapabilityDeps & SubmitDeps): void {
  mountDownloads(mount, services)
  mount(resultRoutes.listRunFiles, ({ principal, params, query }) =>
    listRunArtifacts(services, principal, { ...addressOf(params), query }),
  )
  mount(resultRoutes.readRunRemarks, ({ principal, params }) =>
    readRunRemarks(services, principal, addressOf(params)),
  )
  mount(resultRoutes.followRunEvents, async ({ params, query, request, reply }) => {
    const after = query.after ?? lastEventPosition(request)
    const watched = { ...addressOf(params), after, signal: waitSignal(reply) }
    const events = await followRunEvents(services, currentCaller(request), watched)
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
  mount(resultRoutes.waitForRun, ({ principal, params, query, reply }) => {
    const seconds = query.seconds ?? runWaitMaxSeconds
    return waitForRun(services, principal, { ...addressOf(params), seconds, signal: waitSignal(reply) })
  })
  mount(resultRoutes.runAndWait, ({ principal, params, body, idempotencyKey, reply }) =>
    runAndWait(services, { principal, chatroomId: params.cid, idempotencyKey, body }, waitSignal(reply)),
  )
}

/** Details of a run beyond the contract's routes (contract part 3, D6). */
export function mountRunLogRoutes(mount: Mount, services: RunServices): void {
  mount(extensionRoutes.readRunLog, async ({ principal, params, query, reply }) => {
    const of = { ...addressOf(params), range: query, signal: goneSignal(reply) }
    const log = await openRunLog(services, principal, of)
    return reply.headers({ ...untrustedHeaders, 'content-type': 'text/plain; charset=utf-8' }).send(log)
  })
  mount(extensionRoutes.followRunLog, async ({ params, query, request, reply }) => {
    const start = query.start ?? lastEventPosition(request)
    const of = { ...addressOf(params), start, signal: waitSignal(reply) }
    const events = await followRunLog(services, currentCaller(request), of)
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
  mount(extensionRoutes.readNetworkLog, ({ principal, params }) =>
    readNetworkLog(services, principal, addressOf(params)),
  )
  mount(extensionRoutes.deleteRunContent, ({ principal, params }) =>
    deleteRunContent(services, principal, addressOf(params)),
  )
  mount(extensionRoutes.readRunUsage, ({ principal, params }) =>
    readRunUsage(services, principal, addressOf(params)),
  )
}

function mountDownloads(mount: Mount, services: RunServices & CapabilityDeps): void {
  mount(resultRoutes.readRunOutput, ({ principal, params, request, reply }) => {
    const wanted = downloadRequestOf(request, reply)
    const of = { ...addressOf(params), object: { kind: 'output' as const }, request: wanted }
    return sendDownload(reply, openResult(services, principal, of))
  })
  mount(resultRoutes.readRunArtifact, ({ principal, params, request, reply }) => {
    const wanted = downloadRequestOf(request, reply)
    const object = { kind: 'artifact' as const, artifactId: params.aid }
    const of = { ...addressOf(params), object, request: wanted }
    return sendDownload(reply, openResult(services, principal, of))
  })
  mount(resultRoutes.redeemDownloadCapability, ({ principal, params, request, reply }) => {
    const wanted = downloadRequestOf(request, reply)
    const of = { ...addressOf(params), artifactId: params.aid, token: capabilityOf(request), request: wanted }
    return sendDownload(reply, openByCapability(services, principal, of))
  })
  mount(resultRoutes.downloadRunFiles, async ({ principal, params, reply }) => {
    const signal = goneSignal(reply)
    const { body, byteSize, name } = await openRunZip(services, principal, { ...addressOf(params), signal })
    return reply
      .headers({ ...untrustedHeaders, 'content-type': 'application/zip' })
      .header('content-disposition', attachment(name))
      .header('content-length', byteSize)
      .send(body)
  })
}

/** Empty where there is none: whether there is such an artifact is decided first. */
function capabilityOf({ headers }: FastifyRequest): string {
  const token = headers[downloadCapabilityHeader.toLowerCase()]
  return typeof token === 'string' ? token : ''
}

const addressOf = (params: { cid: string; rid: string }) => ({ chatroomId: params.cid, runId: params.rid })
