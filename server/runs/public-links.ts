import { createHash, createHmac } from 'node:crypto'
import {
  type ArtifactPublicLink,
  neverMintedToken,
  type PublicLink,
  type PublicLinkKind,
} from '@sandbox-jobs/contract/resources/public-link.ts'
import { publicArtifactPrefix } from '@sandbox-jobs/contract/routes/prefixes.ts'
import type { Clock } from '../base/clock.ts'
import { notFound } from '../base/coded-error.ts'
import { newId } from '../base/ids.ts'
import type { Database } from '../db/database.ts'
import type { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { findArtifact } from './artifact-store.ts'
import {
  findLink,
  insertLink,
  type LinkSubject,
  type PublicLinkRow,
  revokeLink,
} from './public-link-store.ts'
import { type ArtifactAddress, requireArtifact } from './read-artifacts.ts'
import { type RunAddress, requireReadableRun } from './read-runs.ts'
import { findContent } from './run-content-store.ts'
import type { RunLookup } from './run-lookup.ts'

export interface LinkDeps {
  db: Database
  directory: Directory
  runs: RunLookup
  clock: Clock
  /** Key of public links. */
  linkKey: Buffer
  /** What addresses start with, no slash at the end. */
  baseUrl: string
}

/**
 * Permanent addresses without login (contract part 1, "Run"). A token is a MAC of the link's id under a key kept outside
 * the database: so the same live link can be shown again, while the database holds the token's hash only.
 */
export const linkToken = (key: Buffer, id: string): string =>
  createHmac('sha256', key).update(`public-link:${id}`).digest('base64url')

export const hashLinkToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** The link to a run's log or output: the live one, or a new one. Throws `not_found` when there is no such object. */
export async function mintLink(
  deps: LinkDeps,
  principal: Principal,
  address: RunAddress & { kind: PublicLinkKind },
): Promise<PublicLink> {
  const run = await requireReadableRun(deps, principal, address)
  const content = await findContent(deps.db, run)
  const key = address.kind === 'log' ? content?.log_key : content?.output_key
  if (content?.state !== 'active' || !key) throw notFound()
  const link = await liveLink(deps, principal, subjectOf(run.company_id, run.id, address.kind))
  return { ...shown(deps, link), object_kind: address.kind }
}

export async function revokeRunLink(
  deps: LinkDeps,
  principal: Principal,
  address: RunAddress & { kind: PublicLinkKind },
): Promise<PublicLink> {
  const run = await requireReadableRun(deps, principal, address)
  const revoked = await endLink(deps, subjectOf(run.company_id, run.id, address.kind))
  return { ...revoked, object_kind: address.kind }
}

export async function mintArtifactLink(
  deps: LinkDeps,
  principal: Principal,
  address: ArtifactAddress,
): Promise<ArtifactPublicLink> {
  const artifact = await requireArtifact(deps, principal, address)
  const link = await liveLink(deps, principal, subjectOf(artifact.company_id, artifact.run_id, artifact.id))
  const { id: artifact_id, relative_path } = artifact
  return { ...shown(deps, link), artifact_id, relative_path, object_kind: 'artifact' }
}

/** A retired artifact's link can be revoked still. */
export async function revokeArtifactLink(
  deps: LinkDeps,
  principal: Principal,
  address: ArtifactAddress,
): Promise<ArtifactPublicLink> {
  const run = await requireReadableRun(deps, principal, address)
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

async function liveLink(deps: LinkDeps, principal: Principal, subject: LinkSubject): Promise<PublicLinkRow> {
  // A link that someone else mints meanwhile is found on the second look; one revoked in between is minted again.
  for (;;) {
    const live = await findLink(deps.db, subject, 'live')
    if (live) return live
    const id = newId('publicLink')
    const token_hash = hashLinkToken(linkToken(deps.linkKey, id))
    await insertLink(deps.db, { ...subject, id, token_hash, created_by: principal.principalId })
  }
}

type ShownLink = Omit<PublicLink, 'object_kind'>

function shown(deps: LinkDeps, link: PublicLinkRow): ShownLink {
  const token = linkToken(deps.linkKey, link.id)
  return {
    run_id: link.run_id,
    url: `${deps.baseUrl}${publicArtifactPrefix}/${token}`,
    token,
    revoked: link.revoked_at !== null,
    created_at: link.created_at.toISOString(),
  }
}

async function endLink(deps: LinkDeps, subject: LinkSubject): Promise<ShownLink> {
  const live = await findLink(deps.db, subject, 'live')
  if (live) await revokeLink(deps.db, live, deps.clock.now())
  const last = await findLink(deps.db, subject, 'latest')
  if (last) return shown(deps, last)
  return { run_id: subject.run_id, url: '', token: neverMintedToken, revoked: true, created_at: null }
}
