import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { type FollowRunDeps, followRunLog, openRunLog, readNetworkLog } from '../../../runs/read/run-logs.ts'
import { readRunUsage } from '../../../runs/read/run-usage.ts'
import { deleteRunContent } from '../../../runs/retention/run-retention.ts'
import type { Downloads } from '../../../storage/downloads/downloads.ts'
import { currentCaller } from '../../caller.ts'
import type { Mount } from '../../mount.ts'
import { eventStream, eventStreamHeaders, lastEventPosition } from '../../responses/event-stream.ts'
import { goneSignal } from '../../responses/send-download.ts'
import { untrustedHeaders } from '../../responses/untrusted.ts'

/** Details of a run beyond the contract's routes (contract part 3, D6). */
export function mountRunLogRoutes(mount: Mount, deps: FollowRunDeps & { downloads: Downloads }): void {
  mount(extensionRoutes.readRunLog, async ({ principal, params, query, reply }) => {
    const of = { ...addressOf(params), range: query, signal: goneSignal(reply) }
    const log = await openRunLog(deps, principal, of)
    return reply.headers({ ...untrustedHeaders, 'content-type': 'text/plain; charset=utf-8' }).send(log)
  })
  mount(extensionRoutes.followRunLog, async ({ params, query, request, reply }) => {
    const start = query.start ?? lastEventPosition(request)
    const of = { ...addressOf(params), start, signal: goneSignal(reply) }
    const events = await followRunLog(deps, currentCaller(request), of)
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
  mount(extensionRoutes.readNetworkLog, ({ principal, params }) =>
    readNetworkLog(deps, principal, addressOf(params)),
  )
  mount(extensionRoutes.deleteRunContent, ({ principal, params }) =>
    deleteRunContent(deps, principal, addressOf(params)),
  )
  mount(extensionRoutes.readRunUsage, ({ principal, params }) =>
    readRunUsage(deps, principal, addressOf(params)),
  )
}

const addressOf = (params: { cid: string; rid: string }) => ({ chatroomId: params.cid, runId: params.rid })
