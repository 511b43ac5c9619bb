import { downloaderOf } from '../../access/downloader.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Download, DownloadRequest, Downloads } from '../../storage/downloads/downloads.ts'
import { type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import type { ReadDeps } from '../read/read-runs.ts'
import {
  type ArtifactAddress,
  type CapabilityDeps,
  redeemDownloadCapability,
} from '../read/results/read-artifacts.ts'
import { findPart, type RunObject } from './stored-parts.ts'

export type ResultDeps = Pick<ReadDeps, 'db' | 'directory' | 'runs'> & { downloads: Downloads }

/**
 * The output or an artifact of a run, for whoever may read the run (contract part 3, D6). Throws `not_found` and what
 * `Downloads.open` throws.
 */
export async function openResult(
  deps: ResultDeps,
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
  deps: ResultDeps & CapabilityDeps,
  principal: Principal,
  { request, ...redeemed }: ArtifactAddress & { token: string; request: DownloadRequest },
): Promise<Download> {
  const { id: artifactId } = await redeemDownloadCapability(deps, principal, redeemed)
  return openResult(deps, principal, { ...redeemed, object: { kind: 'artifact', artifactId }, request })
}
