import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import type { RequestScheduler } from '../../../fairness/request-scheduler.ts'
import { openPublicDownload, type PublicDownloadDeps } from '../../../runs/downloads/public-download.ts'
import { turnOf } from '../../bounds/take-turn.ts'
import type { Mount } from '../../mount.ts'
import { downloadRequestOf, sendDownload } from '../../responses/send-download.ts'

/** `GET /public/sandbox/artifacts/{token}` (contract part 2, "Public routes"). */
export function mountPublicDownloadRoute(
  mount: Mount,
  services: PublicDownloadDeps & { scheduler?: RequestScheduler },
): void {
  mount(publicLinkRoutes.downloadByToken, ({ params, request, reply }) => {
    const takeTurn = (companyId: string) => turnOf(services.scheduler, companyId, reply)(0)
    const wanted = downloadRequestOf(request, reply)
    const open = openPublicDownload(services, { ...wanted, token: params.token, takeTurn })
    return sendDownload(reply, open)
  })
}
