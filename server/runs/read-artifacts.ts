import { createHmac } from 'node:crypto'
import { chatroomPageSizeDefault, downloadCapabilityLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type {
  ArtifactDownloadCapability,
  RunArtifact,
} from '@sandbox-jobs/contract/resources/run-artifact.ts'
import type { Clock } from '../base/clock.ts'
import { notFound } from '../base/coded-error.ts'
import type { Page, PageRequest } from '../base/page.ts'
import type { Principal } from '../platform/principal.ts'
import { findArtifact, listArtifacts, type RunArtifactRow } from './artifact-store.ts'
import { attachment } from './content-disposition.ts'
import { type ReadDeps, type RunAddress, requireReadableRun } from './read-runs.ts'

export interface ArtifactAddress extends RunAddress {
  artifactId: string
}

export interface ArtifactListQuery extends PageRequest {
  lifecycle?: Lifecycle | undefined
}

const statesOf: Record<Lifecycle, readonly string[] | undefined> = {
  active: ['active'],
  retired: ['delete_pending', 'deleted', 'tombstoned'],
  all: undefined,
}

export async function listRunArtifacts(
  deps: ReadDeps,
  principal: Principal,
  { query, ...address }: RunAddress & { query: ArtifactListQuery },
): Promise<Page<RunArtifact>> {
  const run = await requireReadableRun(deps, principal, address)
  const list = `artifacts:${run.id}`
  const size = query.page_size ?? chatroomPageSizeDefault
  // A path may be longer than a token: the token names the row, the row the path.
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

const renderArtifact = (row: RunArtifactRow): RunArtifact => ({
  id: row.id,
  run_id: row.run_id,
  relative_path: row.relative_path,
  path_hash: row.path_hash,
  byte_size: row.byte_size,
  digest: row.digest,
  deletion_state: row.deletion_state as RunArtifact['deletion_state'],
  declared_content_type: row.declared_content_type,
})

/** An artifact that can be handed out; throws `not_found`, also for one that is retired. */
export async function requireArtifact(
  deps: Pick<ReadDeps, 'db' | 'directory' | 'runs'>,
  principal: Principal,
  address: ArtifactAddress,
): Promise<RunArtifactRow> {
  const run = await requireReadableRun(deps, principal, address)
  const key = { companyId: run.company_id, runId: run.id, id: address.artifactId }
  const artifact = await findArtifact(deps.db, key)
  if (artifact?.deletion_state !== 'active') throw notFound()
  return artifact
}

export interface CapabilityDeps extends ReadDeps {
  /** Key of download capabilities. */
  capabilityKey: Buffer
  clock: Clock
}

/** Leave to download one artifact for five minutes (contract part 1, "Run"): a token over who, what and until when. */
export async function createDownloadCapability(
  deps: CapabilityDeps,
  principal: Principal,
  address: ArtifactAddress,
): Promise<ArtifactDownloadCapability> {
  const artifact = await requireArtifact(deps, principal, address)
  const expiresAt = new Date(deps.clock.now().getTime() + downloadCapabilityLifetimeSeconds * 1000)
  const claims = [
    artifact.company_id,
    artifact.run_id,
    artifact.id,
    principal.principalId,
    expiresAt.getTime(),
  ]
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const mac = createHmac('sha256', deps.capabilityKey)
    .update(`artifact-download:${payload}`)
    .digest('base64url')
  return {
    artifact_id: artifact.id,
    run_id: artifact.run_id,
    company_id: artifact.company_id,
    capability_token: `${payload}.${mac}`,
    expires_at: expiresAt.toISOString(),
    content_type: 'application/octet-stream',
    content_disposition: attachment(artifact.relative_path),
    x_content_type_options: 'nosniff',
  }
}
