import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import { type DownloadDeps, openDownload } from '../../runs/public-download.ts'
import type { Mount } from '../mount.ts'
import { untrustedHeaders } from '../untrusted.ts'

/** `GET /public/sandbox/artifacts/{token}` (contract part 2, "Public routes"). */
export function mountPublicDownloadRoute(mount: Mount, services: DownloadDeps): void {
  mount(publicLinkRoutes.downloadByToken, async ({ params, reply }) => {
    const download = await openDownload(services, params.token)
    return reply
      .headers(untrustedHeaders)
      .header('content-disposition', download.contentDisposition)
      .header('content-length', download.byteSize)
      .send(download.body)
  })
}
