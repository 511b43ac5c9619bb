import { notFound } from '../../base/errors/coded-error.ts'
import type { Download, DownloadRequest, StreamReader } from '../../storage/downloads/downloads.ts'
import type { NamedPart } from '../../storage/downloads/verified-objects.ts'
import type { LinkServices } from '../downloads/public-links.ts'
import { findPart, type RunObject } from '../downloads/stored-parts.ts'
import { readLinkToken } from './link-token.ts'
import { isImage, sharedTypeOf, sniffedBytes } from './media-type.ts'
import { findLiveSignedLink, type SignedLinkRow } from './signed-link-store.ts'
import { mediaName, objectOfLink, sniff } from './signed-links.ts'

/** How a link is opened: by its token, in a turn of the company that it is of. */
export interface Opening {
  token: string
  takeTurn: (companyId: string) => Promise<void>
}

/** An object, and the type that it is shown with; without one it is an attachment. */
export interface OpenedLink {
  download: Download
  shownAs: string | undefined
}

/** The live link of a token for one of these purposes. Throws `not_found`. */
export async function requireLiveLink(
  deps: LinkServices,
  { token, takeTurn }: Opening,
  purposes: readonly SignedLinkRow['purpose'][],
): Promise<SignedLinkRow> {
  const named = readLinkToken(deps, token)
  const link =
    named && purposes.includes(named.purpose) ? await findLiveSignedLink(deps.db, named.id) : undefined
  if (!link || link.purpose !== named?.purpose) throw notFound()
  await takeTurn(link.company_id)
  return link
}

/** The file that a media or download link is for. Throws `not_found`, also for another name, and what `Downloads.open` throws. */
export async function openMediaLink(
  deps: LinkServices,
  opening: Opening & { name: string },
  request: DownloadRequest,
): Promise<OpenedLink> {
  const link = await requireLiveLink(deps, opening, ['media', 'download'])
  const part = await partOf(deps, link, objectOfLink(link))
  if (mediaName(part.name) !== opening.name) throw notFound()
  const shownAs =
    link.purpose === 'media' ? await sniff(deps.downloads, part, readerOf(link, request)) : undefined
  // The bytes decide each time.
  if (link.purpose === 'media' && shownAs === undefined) throw notFound()
  return { download: await open(deps, link, part, request), shownAs }
}

/** The files that a share page shows or offers: only images are shown. */
export async function openSharedObject(
  deps: LinkServices,
  opening: Opening & { object: string; show: boolean },
  request: DownloadRequest,
): Promise<OpenedLink> {
  const link = await requireLiveLink(deps, opening, ['share'])
  const object: RunObject =
    opening.object === 'output' ? { kind: 'output' } : { kind: 'artifact', artifactId: opening.object }
  const part = await partOf(deps, link, object)
  const type = opening.show ? await sharedType(deps, part, readerOf(link, request)) : undefined
  return { download: await open(deps, link, part, request), shownAs: isImage(type) ? type : undefined }
}

async function sharedType({ downloads }: LinkServices, part: NamedPart, reader: StreamReader) {
  const bytes = await downloads.firstBytes(part, sniffedBytes, reader)
  return sharedTypeOf(part.name, bytes, part.byteSize <= sniffedBytes)
}

async function partOf(
  { db }: LinkServices,
  link: SignedLinkRow,
  object: RunObject | undefined,
): Promise<NamedPart> {
  const part = object && (await findPart(db, { id: link.run_id, company_id: link.company_id }, object))
  if (!part) throw notFound()
  return part
}

const open = (
  { downloads }: LinkServices,
  link: SignedLinkRow,
  part: NamedPart,
  request: DownloadRequest,
): Promise<Download> => downloads.open(part, readerOf(link, request), request)

export const readerOf = (
  { id: linkId, company_id: companyId }: SignedLinkRow,
  { signal }: Pick<DownloadRequest, 'signal'>,
): StreamReader => ({ linkId, companyId, signal })
