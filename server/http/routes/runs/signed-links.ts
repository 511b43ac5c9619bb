import { linkRoutes } from '@sandbox-jobs/contract/routes/link-routes.ts'
import type { FastifyReply } from 'fastify'
import { type OpenedLink, openMediaLink, openSharedObject } from '../../../runs/links/open-links.ts'
import { readShare, type ShareDeps } from '../../../runs/links/share-view.ts'
import {
  createSignedLink,
  listRunLinks,
  revokeRunLink,
  type SignedLinkDeps,
} from '../../../runs/links/signed-links.ts'
import type { Mount } from '../../mount.ts'
import { downloadRequestOf, goneSignal, sendDownload } from '../../responses/send-download.ts'
import { sharePage, sharePageHeaders } from '../../share/share-page.ts'
import type { RequestScheduler } from '../../turns/request-scheduler.ts'
import { turnOf } from '../../turns/take-turn.ts'

type LinkServices = SignedLinkDeps & ShareDeps & { scheduler?: RequestScheduler }

/** Expiring links to results: making and opening them (contract part 3, D6). */
export function mountSignedLinkRoutes(mount: Mount, services: LinkServices): void {
  mount(linkRoutes.createSignedLink, ({ principal, params, body, reply }) =>
    createSignedLink(services, principal, { ...addressOf(params), body, signal: goneSignal(reply) }),
  )
  mount(linkRoutes.listRunLinks, ({ principal, params, query }) =>
    listRunLinks(services, principal, { ...addressOf(params), query }),
  )
  mount(linkRoutes.revokeRunLink, ({ principal, params }) =>
    revokeRunLink(services, principal, { ...addressOf(params), linkId: params.lid }),
  )
  const opening = (token: string, reply: FastifyReply) => ({
    token,
    takeTurn: (companyId: string) => turnOf(services.scheduler, companyId, reply)(0),
  })
  mount(linkRoutes.openShare, async ({ params, reply }) => {
    const view = await readShare(services, opening(params.token, reply), goneSignal(reply))
    return reply
      .headers(sharePageHeaders)
      .type('text/html; charset=utf-8')
      .send(sharePage(view, params.token))
  })
  mount(linkRoutes.openSharedObject, ({ params, query, request, reply }) => {
    const wanted = downloadRequestOf(request, reply)
    const object = { object: params.oid, show: query.show === true }
    return send(reply, openSharedObject(services, { ...opening(params.token, reply), ...object }, wanted), {})
  })
  mount(linkRoutes.openMedia, ({ params, request, reply }) => {
    const wanted = downloadRequestOf(request, reply)
    const opened = openMediaLink(services, { ...opening(params.token, reply), name: params.name }, wanted)
    return send(reply, opened, embeddable)
  })
}

/** Pages of other origins may show it: it is an image or text, and has no rights here. */
const embeddable = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'cache-control': 'private, max-age=60',
}

const send = (
  reply: FastifyReply,
  opened: Promise<OpenedLink>,
  shownHeaders: Record<string, string>,
): Promise<FastifyReply> =>
  sendDownload(
    reply,
    opened.then(({ download, shownAs }) => {
      if (shownAs === undefined) return download
      const contentDisposition = download.contentDisposition.replace(/^attachment/, 'inline')
      return { ...download, contentDisposition, headers: { ...shownHeaders, 'content-type': shownAs } }
    }),
  )

const addressOf = (params: { cid: string; rid: string }) => ({ chatroomId: params.cid, runId: params.rid })
