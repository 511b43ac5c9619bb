import { artifactFilesMax } from '@sandbox-jobs/contract/limits.ts'
import { downloaderOf, type Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Download, DownloadRequest } from '../../storage/downloads/downloads.ts'
import { openStoredZip, type StoredZip } from '../../storage/downloads/stored-zip.ts'
import type { NamedPart } from '../../storage/downloads/verified-objects.ts'
import { type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import {
  type ArtifactAddress,
  type CapabilityDeps,
  redeemDownloadCapability,
} from '../read/results/read-artifacts.ts'
import { listArtifacts } from '../results/artifact-store.ts'
import { findContent } from '../results/run-content-store.ts'
import type { RunServices } from '../run-services.ts'
import { findPart, partOfArtifact, partOfContent, type RunObject } from './stored-parts.ts'

/**
 * The output or an artifact of a run, for whoever may read the run (contract part 3, D6). Throws `not_found` and what
 * `Downloads.open` throws.
 */
export async function openResult(
  deps: RunServices,
  principal: Principal,
  { object, request, ...address }: RunAddress & { object: RunObject; request: DownloadRequest },
): Promise<Download> {
  const run = await requireReadableRun(deps, principal, 'run.read_result', address)
  const part = await findPart(deps.db, run, object)
  if (!part) throw notFound()
  return deps.downloads.open(part, downloaderOf(principal), request)
}

/** The artifact that a download capability is for. Throws 409 `download_capability_invalid` too. */
export async function openByCapability(
  deps: RunServices & CapabilityDeps,
  principal: Principal,
  { request, ...redeemed }: ArtifactAddress & { token: string; request: DownloadRequest },
): Promise<Download> {
  const { id: artifactId } = await redeemDownloadCapability(deps, principal, redeemed)
  return openResult(deps, principal, { ...redeemed, object: { kind: 'artifact', artifactId }, request })
}

interface RunZip extends StoredZip {
  name: string
}

/**
 * Output, log and artifacts of a run as one archive that is made while it is read. Throws `not_found`, also for a run that has
 * left nothing, `downloads_busy` and `storage_unavailable`.
 */
export async function openRunZip(
  deps: RunServices,
  principal: Principal,
  { signal, ...address }: RunAddress & { signal: AbortSignal },
): Promise<RunZip> {
  const run = await requireReadableRun(deps, principal, 'run.read_result', address)
  const content = await findContent(deps.db, run)
  if (content?.state !== 'active') throw notFound()
  const artifacts = await listArtifacts(deps.db, {
    companyId: run.company_id,
    runId: run.id,
    deletionStates: ['active'],
    afterPath: undefined,
    limit: artifactFilesMax,
  })
  const parts = [
    named(partOfContent(content, 'output'), () => 'output.json'),
    named(partOfContent(content, 'log'), () => 'log.txt'),
    ...artifacts.map((row) => named(partOfArtifact(content, row), ({ name }) => `artifacts/${name}`)),
  ].flatMap((part) => part ?? [])
  if (parts.length === 0) throw notFound()
  const reader = { ...downloaderOf(principal), signal }
  const zip = await openStoredZip(deps.downloads, parts, { at: run.terminal_at ?? run.queued_at, reader })
  return { ...zip, name: `${run.id}.zip` }
}

const named = (part: NamedPart | undefined, nameOf: (part: NamedPart) => string) =>
  part && { ...part, name: nameOf(part) }
