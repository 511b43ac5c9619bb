import { createHash, createHmac, type KeyObject } from 'node:crypto'
import {
  type ArtifactPublicLink,
  neverMintedToken,
  type PublicLink,
  type PublicLinkKind,
} from '@sandbox-jobs/contract/resources/runs/public-link.ts'
import { publicArtifactPrefix } from '@sandbox-jobs/contract/routes/prefixes.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import type { MacKeys } from '../../base/keys/rotated-key.ts'
import type { TokenKeys } from '../../base/keys/token-keys.ts'
import type { Download, DownloadRequest } from '../../storage/downloads/downloads.ts'
import { type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import { type ArtifactAddress, requireArtifact } from '../read/results/read-artifacts.ts'
import { findArtifact } from '../results/artifact-store.ts'
import { findContent } from '../results/run-content-store.ts'
import type { RunServices } from '../run-services.ts'
import {
  findLink,
  findLiveLinkByToken,
  insertLink,
  type LinkSubject,
  type PublicLinkRow,
  revokeLink,
} from './public-link-store.ts'
import { findPart, type RunObject } from './stored-parts.ts'

/** The dependencies of links to results, permanent and expiring. */
export interface LinkServices extends RunServices {
  /** Keys of permanent links. */
  publicLinkKeys: MacKeys
  /** Keys of expiring links. */
  linkKeys: TokenKeys
  /** Name of the deployment, for which the token of an expiring link is good. */
  deployment: string
  /** Prefix of the addresses, without a trailing slash. */
  baseUrl: string
}

/**
 * Public links are permanent addresses without login (contract part 1, "Run"). A token is a MAC of the link's id under a
 * key that is not in the database. So a live link can be rendered again although the database holds only the token's hash.
 */
export const makeLinkToken = (key: KeyObject, id: string): string =>
  createHmac('sha256', key).update(`public-link:${id}`).digest('base64url')

export const hashLinkToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** The token of a link; undefined after its key was retired, which has ended the link. */
export const linkTokenOf = (
  { publicLinkKeys }: Pick<LinkServices, 'publicLinkKeys'>,
  { id, token_hash }: Pick<PublicLinkRow, 'id' | 'token_hash'>,
): string | undefined =>
  publicLinkKeys
    .live()
    .map((key) => makeLinkToken(key, id))
    .find((token) => hashLinkToken(token).equals(token_hash))

/** The link to a run's log or output: the live one, or a new one. Throws `not_found` when there is no such object. */
export async function mintLink(
  deps: LinkServices,
  principal: Principal,
  address: RunAddress & { kind: PublicLinkKind },
): Promise<PublicLink> {
  const run = await requireReadableRun(deps, principal, 'run.link', address)
  const content = await findContent(deps.db, run)
  const key = address.kind === 'log' ? content?.log_key : content?.output_key
  if (content?.state !== 'active' || !key) throw notFound()
  const link = await liveLink(deps, principal, subjectOf(run.company_id, run.id, address.kind))
  return { ...shown(deps, link), object_kind: address.kind }
}

export async function revokeRunLink(
  deps: LinkServices,
  principal: Principal,
  address: RunAddress & { kind: PublicLinkKind },
): Promise<PublicLink> {
  const run = await requireReadableRun(deps, principal, 'run.link', address)
  const revoked = await endLink(deps, subjectOf(run.company_id, run.id, address.kind))
  return { ...revoked, object_kind: address.kind }
}

export async function mintArtifactLink(
  deps: LinkServices,
  principal: Principal,
  address: ArtifactAddress,
): Promise<ArtifactPublicLink> {
  const artifact = await requireArtifact(deps, principal, 'artifact.link', address)
  const link = await liveLink(deps, principal, subjectOf(artifact.company_id, artifact.run_id, artifact.id))
  const { id: artifact_id, relative_path } = artifact
  return { ...shown(deps, link), artifact_id, relative_path, object_kind: 'artifact' }
}

/** Also revokes the link of a retired artifact. */
export async function revokeArtifactLink(
  deps: LinkServices,
  principal: Principal,
  address: ArtifactAddress,
): Promise<ArtifactPublicLink> {
  const run = await requireReadableRun(deps, principal, 'artifact.link', address)
  const key = { companyId: run.company_id, runId: run.id, id: address.artifactId }
  const artifact = await findArtifact(deps.db, key)
  if (!artifact) throw notFound()
  const revoked = await endLink(deps, subjectOf(run.company_id, run.id, artifact.id))
  const { id: artifact_id, relative_path } = artifact
  return { ...revoked, artifact_id, relative_path, object_kind: 'artifact' }
}

/** `object` is a kind, or an artifact's id. */
function subjectOf(companyId: string, runId: string, object: string): LinkSubject {
  const base = { company_id: companyId, run_id: runId }
  if (object === 'log' || object === 'output') return { ...base, object_kind: object, artifact_id: null }
  return { ...base, object_kind: 'artifact', artifact_id: object }
}

async function liveLink(
  deps: LinkServices,
  principal: Principal,
  subject: LinkSubject,
): Promise<PublicLinkRow> {
  // A link minted concurrently is found in the next iteration; one revoked in between is minted again.
  for (;;) {
    const live = await findLink(deps.db, subject, 'live')
    if (live) return live
    const id = newId('publicLink')
    const token_hash = hashLinkToken(makeLinkToken(deps.publicLinkKeys.live()[0], id))
    await insertLink(deps.db, { ...subject, id, token_hash, created_by: principal.principalId })
  }
}

type ShownLink = Omit<PublicLink, 'object_kind'>

function shown(deps: LinkServices, link: PublicLinkRow): ShownLink {
  const token = linkTokenOf(deps, link)
  return {
    run_id: link.run_id,
    url: token === undefined ? '' : `${deps.baseUrl}${publicArtifactPrefix}/${token}`,
    token: token ?? neverMintedToken,
    revoked: link.revoked_at !== null,
    created_at: link.created_at.toISOString(),
  }
}

async function endLink(deps: LinkServices, subject: LinkSubject): Promise<ShownLink> {
  const live = await findLink(deps.db, subject, 'live')
  if (live) await revokeLink(deps.db, live, deps.clock.now())
  const last = await findLink(deps.db, subject, 'latest')
  if (last) return shown(deps, last)
  return { run_id: subject.run_id, url: '', token: neverMintedToken, revoked: true, created_at: null }
}

interface PublicDownloadRequest extends DownloadRequest {
  token: string
  /** Waits for a turn of the company that owns the link. */
  takeTurn: (companyId: string) => Promise<void>
}

/**
 * Opens the object of a public link. Throws `not_found` for a token that is not live and for objects that are retired or
 * missing, and what `Downloads.open` throws.
 */
export async function openPublicDownload(
  { db, downloads }: Pick<LinkServices, 'db' | 'downloads'>,
  request: PublicDownloadRequest,
): Promise<Download> {
  const link = await findLiveLinkByToken(db, hashLinkToken(request.token))
  if (!link) throw notFound()
  const { company_id: companyId } = link
  await request.takeTurn(companyId)
  const part = await findPart(db, { id: link.run_id, company_id: companyId }, objectOf(link))
  if (!part) throw notFound()
  return downloads.open(part, { linkId: link.id, companyId }, request)
}

const objectOf = ({ object_kind: kind, artifact_id: artifactId }: PublicLinkRow): RunObject =>
  kind === 'artifact' ? { kind, artifactId: artifactId ?? '' } : { kind }
