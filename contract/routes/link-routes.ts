import { Type } from 'typebox'
import { about } from '../about.ts'
import { ChatroomId, LinkId, RunId } from '../identifiers.ts'
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
const LinkToken = about('Token of the link, from its address.', anyText, 'Zk3xQ9bTn5YpLw2R')
const open = { tag: 'Runs', action: 'link.download', method: 'GET' } as const
const openErrors = ['not_found', 'storage_unavailable', 'downloads_busy'] as const

/** Links to results that expire, and the list of all links of a run (contract part 3, D6). */
export const linkRoutes = {
  createSignedLink: route({
    ...tenant,
    method: 'POST',
    path: links,
    summary: 'Create an expiring link to a result: a page for people, a file shown inline, or a download',
    description:
      'Everybody who has the address can read the result until it expires or is revoked with revokeRunLink.',
    params: RunParams,
    body: SignedLinkCreateRequest,
    response: RunLink,
    errors: ['not_found', 'link_limit', 'media_not_inline', 'storage_unavailable', 'downloads_busy'],
  }),
  listRunLinks: route({
    ...tenant,
    method: 'GET',
    path: links,
    summary: 'List the live links of a run, newest first, permanent ones included',
    description: 'With their addresses, when they expire and who created them.',
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
    description: 'The address is dead at once. It works for permanent links too.',
    params: Strict({ cid: ChatroomId, rid: RunId, lid: LinkId }),
    response: RunLink,
    errors: ['not_found'],
  }),
  openShare: route({
    ...open,
    path: `${publicSharePrefix}/{token}`,
    summary: 'The result of a run as a page for people',
    description: 'The token in the path is the permission. The page needs no login and no script.',
    params: Strict({ token: LinkToken }),
    mediaType: 'text/html',
    errors: openErrors,
  }),
  openSharedObject: route({
    ...open,
    path: `${publicSharePrefix}/{token}/{oid}`,
    summary: 'An object of a share page: `output`, or an artifact by its id',
    description: 'The page links to it. Without `show`, the answer is an attachment.',
    params: Strict({
      token: LinkToken,
      oid: about('`output`, or the identifier of an artifact.', anyText, 'output'),
    }),
    query: Type.Object({
      show: about(
        'True shows the object in the page instead of downloading it.',
        Type.Optional(Type.Boolean()),
        true,
      ),
    }),
    ranges: true,
    errors: [...openErrors, 'range_not_satisfiable'],
  }),
  openMedia: route({
    ...open,
    path: `${publicMediaPrefix}/{token}/{name}`,
    summary: 'The object of a media or download link; media have their real content type',
    description:
      'Raster images, CSV and text only, so that a chart shows in a chat. Nothing in it can run as a script.',
    params: Strict({
      token: LinkToken,
      name: about('Name of the file, for people; any name is accepted.', anyText, 'sales.png'),
    }),
    ranges: true,
    errors: [...openErrors, 'range_not_satisfiable'],
  }),
}
