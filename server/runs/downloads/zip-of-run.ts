import { artifactFilesMax } from '@sandbox-jobs/contract/limits.ts'
import { downloaderOf } from '../../access/downloader.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { openStoredZip, type StoredZip } from '../../storage/downloads/stored-zip.ts'
import type { NamedPart } from '../../storage/downloads/verified-objects.ts'
import { type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import { listArtifacts } from '../results/artifact-store.ts'
import { findContent } from '../results/run-content-store.ts'
import type { ResultDeps } from './read-results.ts'
import { partOfArtifact, partOfContent } from './stored-parts.ts'

export interface RunZip extends StoredZip {
  name: string
}

/**
 * Output, log and artifacts of a run as one archive that is made while it is read. Throws `not_found`, also for a run that has
 * left nothing, `downloads_busy` and `storage_unavailable`.
 */
export async function openRunZip(
  deps: ResultDeps,
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
