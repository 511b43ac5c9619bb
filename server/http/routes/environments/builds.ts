import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { resultRoutes } from '@sandbox-jobs/contract/routes/result-routes.ts'
import { cancelBuild } from '../../../builds/attempts/build-cancel-service.ts'
import { readBuildDetails } from '../../../builds/attempts/build-details-service.ts'
import { listBuilds, readBuild } from '../../../builds/attempts/build-query-service.ts'
import { queueBuild, retryBuild } from '../../../builds/attempts/build-service.ts'
import { openBuildLog } from '../../../builds/logs/build-log-service.ts'
import { type FollowBuildEventsDeps, followBuildEvents } from '../../../builds/logs/follow-build-events.ts'
import { type FollowBuildDeps, followBuildLog } from '../../../builds/logs/follow-build-log.ts'
import { retryProvisioning } from '../../../builds/provisioning/provisioning-service.ts'
import type { Downloads } from '../../../storage/downloads/downloads.ts'
import { currentCaller } from '../../caller.ts'
import type { Mount } from '../../mount.ts'
import { eventStream, eventStreamHeaders, lastEventPosition } from '../../responses/event-stream.ts'
import { goneSignal } from '../../responses/send-download.ts'
import { untrustedHeaders } from '../../responses/untrusted.ts'

/** Builds of a version (contract part 2, "Environments, versions, builds"). */
export function mountBuildRoutes(
  mount: Mount,
  context: FollowBuildDeps & FollowBuildEventsDeps & { downloads: Downloads },
): void {
  mount(environmentRoutes.createBuild, ({ principal, params, body }) =>
    queueBuild(context, principal, versionPath(params), body),
  )
  mount(environmentRoutes.retryBuild, ({ principal, params }) =>
    retryBuild(context, principal, versionPath(params)),
  )
  mount(environmentRoutes.retryProvisioning, ({ principal, params }) =>
    retryProvisioning(context, principal, versionPath(params)),
  )
  mount(environmentRoutes.listBuilds, ({ principal, params, query }) =>
    listBuilds(context, principal, versionPath(params), query),
  )
  mount(environmentRoutes.readBuild, ({ principal, params }) =>
    readBuild(context, principal, { ...versionPath(params), attemptId: params.aid }),
  )
  mount(environmentRoutes.cancelBuild, ({ principal, params }) =>
    cancelBuild(context, principal, { ...versionPath(params), attemptId: params.aid }),
  )
  mount(extensionRoutes.readBuildDetails, ({ principal, params }) =>
    readBuildDetails(context.db, principal, { ...versionPath(params), attemptId: params.aid }),
  )
  mount(extensionRoutes.readBuildLog, async ({ principal, params, reply }) => {
    const path = { ...versionPath(params), attemptId: params.aid }
    const log = await openBuildLog(context, principal, { ...path, signal: goneSignal(reply) })
    return reply.headers({ ...untrustedHeaders, 'content-type': 'text/plain; charset=utf-8' }).send(log)
  })
  mount(extensionRoutes.followBuildLog, async ({ params, query, request, reply }) => {
    const start = query.start ?? lastEventPosition(request)
    const path = { ...versionPath(params), attemptId: params.aid }
    const events = await followBuildLog(context, currentCaller(request), {
      ...path,
      start,
      signal: goneSignal(reply),
    })
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
  mount(resultRoutes.followBuildEvents, async ({ params, query, request, reply }) => {
    const path = { ...versionPath(params), attemptId: params.aid }
    const after = query.after ?? lastEventPosition(request)
    const events = await followBuildEvents(context, currentCaller(request), {
      ...path,
      after,
      signal: goneSignal(reply),
    })
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
}

const versionPath = (params: { id: string; vid: string }) => ({
  environmentId: params.id,
  versionId: params.vid,
})
