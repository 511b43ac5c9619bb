import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import { type DownloadDeps, openDownload } from '../../runs/public-download.ts'
import type { Mount } from '../mount.ts'

/** A stranger's bytes under our own address: never rendered, never cached, never told onwards. */
const untrusted = {
  'content-type': 'application/octet-stream',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
}

/** `GET /public/sandbox/artifacts/{token}` (contract part 2, "Public routes"). */
export function mountPublicDownloadRoute(mount: Mount, services: DownloadDeps): void {
  mount(publicLinkRoutes.downloadByToken, async ({ params, reply }) => {
    const download = await openDownload(services, params.token)
    return reply
      .headers(untrusted)
      .header('content-disposition', download.contentDisposition)
      .header('content-length', download.byteSize)
      .send(download.body)
  })
}
