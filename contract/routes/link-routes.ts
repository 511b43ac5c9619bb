import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { chatroomPageSizeDefault } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { RunLink, RunLinkList, SignedLinkCreateRequest } from '../resources/runs/signed-link.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix, publicMediaPrefix, publicSharePrefix } from './prefixes.ts'
import { route } from './route.ts'
import { RunParams } from './run-routes.ts'

const links = `${extensionPrefix}/chatrooms/{cid}/runs/{rid}/links` as const
const tenant = { tag: 'Runs', action: 'run.share' } as const
/** Any text: a value that is not a live token is not found, in any form. */
const anyText = Type.String({ minLength: 1 })
const open = { tag: 'Runs', action: 'link.download', method: 'GET' } as const
const openErrors = ['not_found', 'storage_unavailable', 'downloads_busy'] as const

/** Links to results that expire, and the list of all links of a run (contract part 3, D6). */
export const linkRoutes = {
  createSignedLink: route({
    ...tenant,
    method: 'POST',
    path: links,
    summary: 'Create an expiring link to a result: a page for people, a file shown inline, or a download',
    params: RunParams,
    body: SignedLinkCreateRequest,
    response: RunLink,
    errors: ['not_found', 'link_limit', 'media_not_inline', 'storage_unavailable'],
  }),
  listRunLinks: route({
    ...tenant,
    method: 'GET',
    path: links,
    summary: 'List the live links of a run, newest first, permanent ones included',
    params: RunParams,
    query: Type.Object(pageFields(chatroomPageSizeDefault)),
    response: RunLinkList,
    errors: ['not_found'],
  }),
  revokeRunLink: route({
    ...tenant,
    method: 'DELETE',
    path: `${links}/{lid}`,
    summary: 'Revoke a link of a run by its id; idempotent',
    params: Strict({ cid: Identifier, rid: Identifier, lid: Identifier }),
    response: RunLink,
    errors: ['not_found'],
  }),
  openShare: route({
    ...open,
    path: `${publicSharePrefix}/{token}`,
    summary: 'The result of a run as a page for people',
    params: Strict({ token: anyText }),
    mediaType: 'text/html',
    errors: openErrors,
  }),
  openSharedObject: route({
    ...open,
    path: `${publicSharePrefix}/{token}/{oid}`,
    summary: 'An object of a share page: `output`, or an artifact by its id',
    params: Strict({ token: anyText, oid: anyText }),
    query: Type.Object({ show: Type.Optional(Type.Boolean()) }),
    ranges: true,
    errors: [...openErrors, 'range_not_satisfiable'],
  }),
  openMedia: route({
    ...open,
    path: `${publicMediaPrefix}/{token}/{name}`,
    summary: 'The object of a media or download link; media have their real content type',
    params: Strict({ token: anyText, name: anyText }),
    ranges: true,
    errors: [...openErrors, 'range_not_satisfiable'],
  }),
}
