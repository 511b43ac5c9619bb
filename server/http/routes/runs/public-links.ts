import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import type { RequestScheduler } from '../../../fairness/request-scheduler.ts'
import {
  type LinkServices,
  mintArtifactLink,
  mintLink,
  openPublicDownload,
  revokeArtifactLink,
  revokeRunLink,
} from '../../../runs/downloads/public-links.ts'
import { turnOf } from '../../bounds/take-turn.ts'
import type { Mount } from '../../mount.ts'
import { downloadRequestOf, sendDownload } from '../../responses/send-download.ts'

/** Minting and revoking of login-free links (contract part 2, "Chatroom runs"). */
export function mountPublicLinkRoutes(mount: Mount, services: LinkServices): void {
  mount(publicLinkRoutes.mintLogLink, ({ principal, params }) =>
    mintLink(services, principal, { ...addressOf(params), kind: 'log' }),
  )
  mount(publicLinkRoutes.revokeLogLink, ({ principal, params }) =>
    revokeRunLink(services, principal, { ...addressOf(params), kind: 'log' }),
  )
  mount(publicLinkRoutes.mintOutputLink, ({ principal, params }) =>
    mintLink(services, principal, { ...addressOf(params), kind: 'output' }),
  )
  mount(publicLinkRoutes.revokeOutputLink, ({ principal, params }) =>
    revokeRunLink(services, principal, { ...addressOf(params), kind: 'output' }),
  )
  mount(publicLinkRoutes.mintArtifactLink, ({ principal, params }) =>
    mintArtifactLink(services, principal, { ...addressOf(params), artifactId: params.aid }),
  )
  mount(publicLinkRoutes.revokeArtifactLink, ({ principal, params }) =>
    revokeArtifactLink(services, principal, { ...addressOf(params), artifactId: params.aid }),
  )
}

/** `GET /public/sandbox/artifacts/{token}` (contract part 2, "Public routes"). */
export function mountPublicDownloadRoute(
  mount: Mount,
  services: Pick<LinkServices, 'db' | 'downloads'> & { scheduler: RequestScheduler },
): void {
  mount(publicLinkRoutes.downloadByToken, ({ params, request, reply }) => {
    const takeTurn = (companyId: string) => turnOf(services.scheduler, companyId, reply)(0)
    const wanted = downloadRequestOf(request, reply)
    const open = openPublicDownload(services, { ...wanted, token: params.token, takeTurn })
    return sendDownload(reply, open)
  })
}

const addressOf = (params: { cid: string; rid: string }) => ({ chatroomId: params.cid, runId: params.rid })
