import {
  chatroomPageSizeDefault,
  signedLinkDefaultSeconds,
  signedLinksPerRunMax,
} from '@sandbox-jobs/contract/limits.ts'
import type {
  RunLink,
  RunLinkList,
  SignedLinkCreateRequest,
} from '@sandbox-jobs/contract/resources/runs/signed-link.ts'
import {
  publicArtifactPrefix,
  publicMediaPrefix,
  publicSharePrefix,
} from '@sandbox-jobs/contract/routes/prefixes.ts'
import { lockAuthority } from '../../access/authentication/lock-authority.ts'
import { downloaderOf, type Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import type { PageRequest } from '../../base/page.ts'
import type { Downloads, StreamReader } from '../../storage/downloads/downloads.ts'
import type { NamedPart } from '../../storage/downloads/verified-objects.ts'
import { findLinkById, revokeLink } from '../downloads/public-link-store.ts'
import { type LinkServices, linkTokenOf } from '../downloads/public-links.ts'
import { findPart, type RunObject } from '../downloads/stored-parts.ts'
import { type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import { findContent } from '../results/run-content-store.ts'
import { signLinkToken } from './link-token.ts'
import { mediaTypeOf, sniffedBytes } from './media-type.ts'
import {
  findSignedLink,
  insertSignedLink,
  type ListedLink,
  listLiveLinks,
  revokeSignedLink,
  type SignedLinkRow,
} from './signed-link-store.ts'

/**
 * Makes an expiring link. Throws `not_found` where there is nothing to show, 409 `link_limit`, 422 `media_not_inline`, the
 * standard 422 array, and `downloads_busy`.
 */
export async function createSignedLink(
  deps: LinkServices,
  principal: Principal,
  { body, signal, ...address }: RunAddress & { body: SignedLinkCreateRequest; signal: AbortSignal },
): Promise<RunLink> {
  const run = await requireReadableRun(deps, principal, 'run.share', address)
  const object = objectOf(body)
  const part = object ? await findPart(deps.db, run, object) : undefined
  if (object && !part) throw notFound()
  if (!object && (await findContent(deps.db, run))?.state !== 'active') throw notFound()
  if (part && body.purpose === 'media') {
    const type = await sniff(deps.downloads, part, { ...downloaderOf(principal), signal })
    if (type === undefined) throw new CodedError('media_not_inline')
  }
  const seconds = body.expires_in_seconds ?? signedLinkDefaultSeconds
  const link = await deps.db.transaction().execute(async (trx) => {
    // A large object may have taken seconds to verify, and the link outlasts the rights of who makes it.
    const maker = await lockAuthority(trx, principal)
    await deps.directory.within(trx).requireRoom(maker, 'run.share', address.chatroomId)
    return insertSignedLink(
      trx,
      {
        id: newId('signedLink'),
        company_id: run.company_id,
        run_id: run.id,
        purpose: body.purpose,
        object_kind: object?.kind ?? 'run',
        artifact_id: object?.kind === 'artifact' ? object.artifactId : null,
        created_by: principal.principalId,
        expires_at: new Date(deps.clock.now().getTime() + seconds * 1000),
      },
      signedLinksPerRunMax,
    )
  })
  if (!link) throw new CodedError('link_limit', { limit: signedLinksPerRunMax })
  return shown(deps, run.id, { ...link, created_at_us: 0 }, part && mediaName(part.name))
}

/** A share is of the run, the others of one object of it. */
function objectOf({ purpose, object_kind: kind, artifact_id: artifactId }: SignedLinkCreateRequest) {
  if (purpose === 'share') {
    if (kind !== undefined)
      throw invalid(['body', 'object_kind'], 'unexpected', 'is not for the purpose share')
    return undefined
  }
  if (kind === undefined) throw invalid(['body', 'object_kind'], 'missing', 'is required for this purpose')
  if ((kind === 'artifact') !== (artifactId !== undefined)) {
    throw invalid(['body', 'artifact_id'], 'mismatch', 'is required for an artifact, and only for one')
  }
  const object: RunObject = kind === 'artifact' ? { kind, artifactId: artifactId ?? '' } : { kind }
  return object
}

/** The type that a part is shown with; undefined where it is not. */
export async function sniff(
  downloads: Downloads,
  part: NamedPart,
  reader: StreamReader,
): Promise<string | undefined> {
  const bytes = await downloads.firstBytes(part, sniffedBytes, reader)
  return mediaTypeOf(part.name, bytes, part.byteSize <= sniffedBytes)
}

const mediaNameMaxLength = 64

/** The last part of a path as it stands in an address. */
export const mediaName = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(-mediaNameMaxLength)
    .replace(/^\.+/, '_')

export async function listRunLinks(
  deps: LinkServices,
  principal: Principal,
  { query, ...address }: RunAddress & { query: PageRequest },
): Promise<RunLinkList> {
  const run = await requireReadableRun(deps, principal, 'run.share', address)
  const list = `links:${run.id}`
  const size = query.page_size ?? chatroomPageSizeDefault
  const [createdAtUs, id] = deps.pages.read(list, query.page_token) ?? []
  const before = typeof createdAtUs === 'number' && typeof id === 'string' ? { createdAtUs, id } : undefined
  const rows = await listLiveLinks(deps.db, run, { before, limit: size + 1 })
  const names = new Map<string, string>()
  for (const row of rows.slice(0, size)) {
    const object = objectOfLink(row)
    const part = object && row.purpose !== 'permanent' ? await findPart(deps.db, run, object) : undefined
    if (part) names.set(row.id, mediaName(part.name))
  }
  return deps.pages.page(list, rows, size, {
    item: (row) => shown(deps, run.id, row, names.get(row.id)),
    cursor: (row) => [row.created_at_us, row.id],
  })
}

export const objectOfLink = ({
  object_kind: kind,
  artifact_id: artifactId,
}: Pick<SignedLinkRow, 'object_kind' | 'artifact_id'>): RunObject | undefined => {
  if (kind === 'run') return undefined
  return kind === 'artifact' ? { kind, artifactId: artifactId ?? '' } : { kind }
}

/** Revokes a link of either kind. Throws `not_found` for an id that is no link of the run. */
export async function revokeRunLink(
  deps: LinkServices,
  principal: Principal,
  { linkId, ...address }: RunAddress & { linkId: string },
): Promise<RunLink> {
  const run = await requireReadableRun(deps, principal, 'run.share', address)
  const signed = await findSignedLink(deps.db, run, linkId)
  if (signed) {
    await revokeSignedLink(deps.db, signed, deps.clock.now())
    return { ...shown(deps, run.id, { ...signed, created_at_us: 0 }, undefined), url: '', revoked: true }
  }
  const permanent = await findLinkById(deps.db, run, linkId)
  if (!permanent) throw notFound()
  await revokeLink(deps.db, permanent, deps.clock.now())
  const row: ListedLink = { ...permanent, purpose: 'permanent', created_at_us: 0, expires_at: null }
  return { ...shown(deps, run.id, row, undefined), url: '', revoked: true }
}

function shown(
  deps: LinkServices,
  runId: string,
  row: ListedLink | SignedLinkRow,
  name: string | undefined,
): RunLink {
  return {
    id: row.id,
    run_id: runId,
    purpose: row.purpose,
    object_kind: row.object_kind,
    artifact_id: row.artifact_id,
    url: `${deps.baseUrl}${pathOf(deps, row, name)}`,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked: false,
  }
}

function pathOf(deps: LinkServices, row: ListedLink | SignedLinkRow, name: string | undefined): string {
  const { id, purpose, expires_at } = row
  if (purpose === 'permanent' || expires_at === null) {
    const token =
      'token_hash' in row && row.token_hash && linkTokenOf(deps, { id, token_hash: row.token_hash })
    return `${publicArtifactPrefix}/${token || 'ended'}`
  }
  const token = signLinkToken(deps, { id, purpose, expires_at })
  return purpose === 'share'
    ? `${publicSharePrefix}/${token}`
    : `${publicMediaPrefix}/${token}/${name ?? 'gone'}`
}
