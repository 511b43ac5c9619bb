import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { cancelBuild } from '../../builds/build-cancel-service.ts'
import { readBuildDetails } from '../../builds/build-details-service.ts'
import { openBuildLog } from '../../builds/build-log-service.ts'
import { listBuilds, readBuild } from '../../builds/build-query-service.ts'
import { queueBuild, retryBuild } from '../../builds/build-service.ts'
import { type FollowBuildDeps, followBuildLog } from '../../builds/follow-build-log.ts'
import { retryProvisioning } from '../../builds/provisioning-service.ts'
import { eventStream, eventStreamHeaders, positionOf } from '../event-stream.ts'
import type { Mount } from '../mount.ts'
import { untrustedHeaders } from '../untrusted.ts'

/** Builds of a version (contract part 2, "Environments, versions, builds"). */
export function mountBuildRoutes(mount: Mount, context: FollowBuildDeps): void {
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
    const log = await openBuildLog(context, principal, { ...versionPath(params), attemptId: params.aid })
    return reply.headers({ ...untrustedHeaders, 'content-type': 'text/plain; charset=utf-8' }).send(log)
  })
  mount(extensionRoutes.followBuildLog, async ({ principal, params, query, request, reply }) => {
    const start = query.start ?? positionOf(request)
    const path = { ...versionPath(params), attemptId: params.aid }
    const events = await followBuildLog(context, principal, { ...path, start })
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
}

const versionPath = (params: { id: string; vid: string }) => ({
  environmentId: params.id,
  versionId: params.vid,
})
