import { createHmac, type KeyObject } from 'node:crypto'
import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import { chatroomPageSizeDefault, downloadCapabilityLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type {
  ArtifactDownloadCapability,
  RunArtifact,
} from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import type { Principal } from '../../../access/principal.ts'
import type { Clock } from '../../../base/clock.ts'
import { CodedError, notFound } from '../../../base/errors/coded-error.ts'
import { isMac, type MacKeys } from '../../../base/keys/rotated-key.ts'
import type { Page, PageRequest } from '../../../base/page.ts'
import { attachment } from '../../../storage/downloads/download-headers.ts'
import { type FindRunDeps, type RunAddress, requireReadableRun } from '../../lookup/readable-run.ts'
import { findArtifact, listArtifacts, type RunArtifactRow } from '../../results/artifact-store.ts'
import type { RunServices } from '../../run-services.ts'

export interface ArtifactAddress extends RunAddress {
  artifactId: string
}

export interface ArtifactListQuery extends PageRequest {
  lifecycle?: Lifecycle | undefined
}

export interface ArtifactFile {
  id: string
  path: string
  byteSize: number
  /** That of the file; the end of the run if it has none. */
  modifiedAt: Date | null
}

const statesOf: Record<Lifecycle, readonly string[] | undefined> = {
  active: ['active'],
  retired: ['delete_pending', 'deleted', 'tombstoned'],
  all: undefined,
}

export async function listRunArtifacts(
  deps: RunServices,
  principal: Principal,
  { query, ...address }: RunAddress & { query: ArtifactListQuery },
): Promise<Page<RunArtifact>> {
  const run = await requireReadableRun(deps, principal, 'run.read', address)
  const list = `artifacts:${run.id}`
  const size = query.page_size ?? chatroomPageSizeDefault
  // A path may be longer than a token, so the token holds the row's id.
  const [afterId] = deps.pages.read(list, query.page_token) ?? []
  const key = { companyId: run.company_id, runId: run.id }
  const after = typeof afterId === 'string' ? await findArtifact(deps.db, { ...key, id: afterId }) : undefined
  const rows = await listArtifacts(deps.db, {
    ...key,
    deletionStates: statesOf[query.lifecycle ?? 'active'],
    afterPath: after?.relative_path,
    limit: size + 1,
  })
  return deps.pages.page(list, rows, size, { item: renderArtifact, cursor: (row) => [row.id] })
}

/** Those that can be downloaded of a run, with their times; at most as many as one page has. */
export async function listArtifactFiles(
  deps: FindRunDeps,
  principal: Principal,
  { limit, ...address }: RunAddress & { limit: number },
): Promise<ArtifactFile[]> {
  const run = await requireReadableRun(deps, principal, 'run.read', address)
  const key = { companyId: run.company_id, runId: run.id }
  const rows = await listArtifacts(deps.db, {
    ...key,
    deletionStates: statesOf.active,
    afterPath: undefined,
    limit,
  })
  return rows.map(({ id, relative_path: path, byte_size: byteSize, modified_at }) => ({
    ...{ id, path, byteSize },
    modifiedAt: modified_at ?? run.terminal_at,
  }))
}

export const renderArtifact = (row: RunArtifactRow): RunArtifact => ({
  id: row.id,
  run_id: row.run_id,
  relative_path: row.relative_path,
  path_hash: row.path_hash,
  byte_size: row.byte_size,
  digest: row.digest,
  deletion_state: row.deletion_state as RunArtifact['deletion_state'],
  declared_content_type: row.declared_content_type,
})

/** An artifact that can be downloaded. Throws `not_found`, also for a retired one. */
export async function requireArtifact(
  deps: FindRunDeps,
  principal: Principal,
  action: ActionOn<'room'>,
  address: ArtifactAddress,
): Promise<RunArtifactRow> {
  const run = await requireReadableRun(deps, principal, action, address)
  const key = { companyId: run.company_id, runId: run.id, id: address.artifactId }
  const artifact = await findArtifact(deps.db, key)
  if (artifact?.deletion_state !== 'active') throw notFound()
  return artifact
}

export interface CapabilityDeps extends FindRunDeps {
  /** Keys of download capabilities. */
  capabilityKeys: MacKeys
  clock: Clock
}

/** Permission to download one artifact for five minutes (contract part 1, "Run"): a token over caller, artifact and expiry. */
export async function createDownloadCapability(
  deps: CapabilityDeps,
  principal: Principal,
  address: ArtifactAddress,
): Promise<ArtifactDownloadCapability> {
  const artifact = await requireArtifact(deps, principal, 'run.read', address)
  const expiresAt = new Date(deps.clock.now().getTime() + downloadCapabilityLifetimeSeconds * 1000)
  const claims = [
    artifact.company_id,
    artifact.run_id,
    artifact.id,
    principal.principalId,
    expiresAt.getTime(),
  ]
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return {
    artifact_id: artifact.id,
    run_id: artifact.run_id,
    company_id: artifact.company_id,
    capability_token: `${payload}.${capabilityMac(deps.capabilityKeys.live()[0], payload).toString('base64url')}`,
    expires_at: expiresAt.toISOString(),
    content_type: 'application/octet-stream',
    content_disposition: attachment(artifact.relative_path),
    x_content_type_options: 'nosniff',
  }
}

const capabilityMac = (key: KeyObject, payload: string): Buffer =>
  createHmac('sha256', key).update(`artifact-download:${payload}`).digest()

/**
 * The artifact, for whoever holds a capability for it and may still read the run (contract part 3, D6). Throws `not_found`,
 * also for a retired artifact, and 409 `download_capability_invalid` for a token of something or somebody else, or of before.
 */
export async function redeemDownloadCapability(
  deps: CapabilityDeps,
  principal: Principal,
  { token, ...address }: ArtifactAddress & { token: string },
): Promise<RunArtifactRow> {
  const artifact = await requireArtifact(deps, principal, 'run.read_result', address)
  const [payload = '', mac = ''] = token.split('.')
  const given = Buffer.from(mac, 'base64url')
  const isOurs = isMac(deps.capabilityKeys, given, (key) => capabilityMac(key, payload))
  if (!isOurs) throw new CodedError('download_capability_invalid')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as unknown[]
  const wanted = [artifact.company_id, artifact.run_id, artifact.id, principal.principalId]
  const fits = wanted.every((claim, at) => claims[at] === claim)
  const expiresAtMs = Number(claims[wanted.length])
  if (!fits || expiresAtMs <= deps.clock.now().getTime()) throw new CodedError('download_capability_invalid')
  return artifact
}
