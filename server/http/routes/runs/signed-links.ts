import { linkRoutes } from '@sandbox-jobs/contract/routes/link-routes.ts'
import type { FastifyReply } from 'fastify'
import { CodedError } from '../../../base/errors/coded-error.ts'
import type { RequestScheduler } from '../../../fairness/request-scheduler.ts'
import type { LinkServices } from '../../../runs/downloads/public-links.ts'
import { type OpenedLink, openMediaLink, openSharedObject } from '../../../runs/links/open-links.ts'
import { readShare } from '../../../runs/links/share-view.ts'
import { createSignedLink, listRunLinks, revokeRunLink } from '../../../runs/links/signed-links.ts'
import { turnOf } from '../../bounds/take-turn.ts'
import type { Mount } from '../../mount.ts'
import { formPageHeaders } from '../../pages/form-page.ts'
import { deadLinkPage, sharePage, sharePageHeaders } from '../../pages/share-page.ts'
import { wantsPage } from '../../requests/media-type.ts'
import { downloadRequestOf, goneSignal, sendDownload } from '../../responses/send-download.ts'

/** Expiring links to results: making and opening them (contract part 3, D6). */
export function mountSignedLinkRoutes(
  mount: Mount,
  services: LinkServices & { scheduler: RequestScheduler },
): void {
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
  mount(linkRoutes.openShare, async ({ params, request, reply }) => {
    reply.header('vary', 'accept')
    const reading = readShare(services, opening(params.token, reply), goneSignal(reply))
    const view = await reading.catch((error: unknown) => {
      if (!isNotFound(error) || !wantsPage(request)) throw error
    })
    if (!view)
      return reply.code(404).headers(formPageHeaders()).type('text/html; charset=utf-8').send(deadLinkPage())
    return reply
      .headers(sharePageHeaders)
      .type('text/html; charset=utf-8')
      .send(sharePage(view, params.token))
  })
  mount(linkRoutes.openSharedObject, ({ params, query, request, reply }) => {
    const wanted = downloadRequestOf(request, reply)
    const object = { object: params.oid, show: query.show === true }
    return send(
      reply,
      openSharedObject(services, { ...opening(params.token, reply), ...object }, wanted),
      shownImage,
    )
  })
  mount(linkRoutes.openMedia, ({ params, request, reply }) => {
    const wanted = downloadRequestOf(request, reply)
    const opened = openMediaLink(services, { ...opening(params.token, reply), name: params.name }, wanted)
    return send(reply, opened, embeddable)
  })
}

/** An image at its own address: SVG could hold scripts and addresses there. */
const shownImage = { 'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'" }

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

const isNotFound = (error: unknown): boolean => error instanceof CodedError && error.code === 'not_found'

const addressOf = (params: { cid: string; rid: string }) => ({ chatroomId: params.cid, runId: params.rid })
