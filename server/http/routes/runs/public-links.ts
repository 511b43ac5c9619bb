import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import {
  type LinkDeps,
  mintArtifactLink,
  mintLink,
  revokeArtifactLink,
  revokeRunLink,
} from '../../../runs/downloads/public-links.ts'
import type { Mount } from '../../mount.ts'

/** Minting and revoking of login-free links (contract part 2, "Chatroom runs"). */
export function mountPublicLinkRoutes(mount: Mount, services: LinkDeps): void {
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

const addressOf = (params: { cid: string; rid: string }) => ({ chatroomId: params.cid, runId: params.rid })
