import { baseImageRoutes } from '@sandbox-jobs/contract/routes/base-image-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { resultRoutes } from '@sandbox-jobs/contract/routes/result-routes.ts'
import { readBuildDetails } from '../../../builds/attempts/build-details-service.ts'
import { listBuilds, readBuild } from '../../../builds/attempts/build-query-service.ts'
import { queueBuild, retryBuild } from '../../../builds/attempts/build-service.ts'
import { cancelBuild } from '../../../builds/attempts/cancel-builds.ts'
import { type BaseImageContext, readBaseImages } from '../../../builds/bases/base-images.ts'
import {
  type FollowBuildDeps,
  type FollowBuildEventsDeps,
  followBuildEvents,
  followBuildLog,
  openBuildLog,
} from '../../../builds/logs/follow-build.ts'
import {
  listSignatures,
  listSigningKeys,
  openImage,
  type ProvenanceContext,
  readProvenance,
} from '../../../builds/provisioning/provenance-service.ts'
import { retryProvisioning } from '../../../builds/provisioning/provisioning-service.ts'
import type { Downloads } from '../../../storage/downloads/downloads.ts'
import { currentCaller } from '../../caller.ts'
import type { Mount } from '../../mount.ts'
import { eventStream, eventStreamHeaders, lastEventPosition } from '../../responses/event-stream.ts'
import { goneSignal, untrustedHeaders } from '../../responses/send-download.ts'
import { waitSignal } from '../../responses/wait-signal.ts'

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
      signal: waitSignal(reply),
    })
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
  mount(resultRoutes.followBuildEvents, async ({ params, query, request, reply }) => {
    const path = { ...versionPath(params), attemptId: params.aid }
    const after = query.after ?? lastEventPosition(request)
    const events = await followBuildEvents(context, currentCaller(request), {
      ...path,
      after,
      signal: waitSignal(reply),
    })
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
}

/** Base images of the operator (extension): the same for every company. */
export function mountBaseImageRoutes(mount: Mount, context: BaseImageContext): void {
  mount(baseImageRoutes.listBaseImages, () => readBaseImages(context))
}

/** The origin of an image, and the signed proof (contract part 3, D6). */
export function mountProvenanceRoutes(
  mount: Mount,
  context: ProvenanceContext & { downloads: Downloads },
): void {
  mount(extensionRoutes.listSigningKeys, async () => listSigningKeys(context))
  mount(extensionRoutes.readProvenance, ({ principal, params }) =>
    readProvenance(context, principal, { environmentId: params.id, versionId: params.vid }),
  )
  mount(extensionRoutes.listImageSignatures, ({ principal, params }) =>
    listSignatures(context, principal, { environmentId: params.id, versionId: params.vid }),
  )
  mount(extensionRoutes.downloadImage, async ({ principal, params, reply }) => {
    const path = { environmentId: params.id, versionId: params.vid }
    const tar = await openImage(context, principal, { ...path, signal: goneSignal(reply) })
    const disposition = `attachment; filename="${params.vid}.oci.tar"`
    return reply
      .headers({
        ...untrustedHeaders,
        'content-type': 'application/x-tar',
        'content-disposition': disposition,
      })
      .send(tar)
  })
}

const versionPath = (params: { id: string; vid: string }) => ({
  environmentId: params.id,
  versionId: params.vid,
})
