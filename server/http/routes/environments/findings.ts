import { findingRoutes } from '@sandbox-jobs/contract/routes/finding-routes.ts'
import { openSbom, readScanReport } from '../../../builds/reports/scan-report-service.ts'
import type { EnvironmentContext } from '../../../environments/catalogue/environment-context.ts'
import { createException, listExceptions, revokeException } from '../../../findings/exception-service.ts'
import { listFindings } from '../../../findings/finding-query-service.ts'
import type { Downloads } from '../../../storage/downloads/downloads.ts'
import type { Mount } from '../../mount.ts'
import { goneSignal, untrustedHeaders } from '../../responses/send-download.ts'

/** Scans of builds and their findings (contract part 3, D6). */
export function mountFindingRoutes(
  mount: Mount,
  context: EnvironmentContext & { downloads: Downloads },
): void {
  mount(findingRoutes.readScanReport, ({ principal, params }) =>
    readScanReport(context, principal, buildPath(params)),
  )
  mount(findingRoutes.readSbom, async ({ principal, params, reply }) => {
    const sbom = await openSbom(context, principal, { ...buildPath(params), signal: goneSignal(reply) })
    return reply
      .headers({ ...untrustedHeaders, 'content-type': 'application/vnd.cyclonedx+json; version=1.6' })
      .send(sbom)
  })
  mount(findingRoutes.listFindings, ({ principal, params, query }) =>
    listFindings(context, principal, params.id, query),
  )
  mount(findingRoutes.listExceptions, ({ principal, params, query }) =>
    listExceptions(context, principal, params.id, query),
  )
  mount(findingRoutes.createException, ({ principal, params, body }) =>
    createException(context, principal, { environmentId: params.id, findingId: params.fid }, body),
  )
  mount(findingRoutes.revokeException, ({ principal, params }) =>
    revokeException(context, principal, { environmentId: params.id, exceptionId: params.xid }),
  )
}

const buildPath = (params: { id: string; vid: string; aid: string }) => ({
  environmentId: params.id,
  versionId: params.vid,
  attemptId: params.aid,
})
