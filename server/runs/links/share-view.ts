import type { InlineOutput } from '@sandbox-jobs/contract/resources/runs/run-result.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { LinkServices } from '../downloads/public-links.ts'
import { partOfArtifact } from '../downloads/stored-parts.ts'
import { findRunById } from '../model/run-store.ts'
import { readInlineOutput } from '../read/results/inline-output.ts'
import { remarksOf } from '../read/results/run-remarks.ts'
import { listArtifacts } from '../results/artifact-store.ts'
import { findContent } from '../results/run-content-store.ts'
import { isImage, isRaster, sharedTypeOf, sniffedBytes } from './media-type.ts'
import { type Opening, readerOf, requireLiveLink } from './open-links.ts'
import { findRunOrigin } from './signed-link-store.ts'

export interface SharedFile {
  id: string
  path: string
  byteSize: number
  /** How the page shows it, besides its download. */
  preview: { kind: 'image' } | { kind: 'csv' | 'text'; text: string; isCut: boolean } | undefined
}

/** Content of a share page. */
export interface ShareView {
  title: string
  /** Name of the company that shares it. */
  sender: string | undefined
  status: string
  queuedAt: Date
  endedAt: Date | null
  expiresAt: Date
  output: InlineOutput | null
  /** Acts of the job that cost it a part of its result, as sentences. */
  remarks: string[]
  files: SharedFile[]
  /** Files beyond those listed. */
  more: number
}

const filesShown = 100
const imagesShown = 12
const imageMaxBytes = 10 * 1024 ** 2
/** A drawing costs the browser more than its bytes. */
const svgMaxBytes = 1024 ** 2
const textsShown = 8
const textBytes = 64 * 1024

/** The result of a run for its share page. Throws `not_found`, `downloads_busy` and `storage_unavailable`. */
export async function readShare(
  deps: LinkServices,
  opening: Opening,
  signal: AbortSignal,
): Promise<ShareView> {
  const link = await requireLiveLink(deps, opening, ['share'])
  const key = { id: link.run_id, company_id: link.company_id }
  const [run, content] = await Promise.all([findRunById(deps.db, key), findContent(deps.db, key)])
  if (!run || content?.state !== 'active') throw notFound()
  const origin = await findRunOrigin(deps.db, run)
  const reader = readerOf(link, { signal })
  const rows = await listArtifacts(deps.db, {
    companyId: run.company_id,
    runId: run.id,
    deletionStates: ['active'],
    afterPath: undefined,
    limit: 1001,
  })
  const files: SharedFile[] = []
  const left = { images: imagesShown, texts: textsShown }
  for (const row of rows.slice(0, filesShown)) {
    const part = partOfArtifact(content, row)
    const file = { id: row.id, path: row.relative_path, byteSize: row.byte_size }
    if (!part || left.images + left.texts === 0) files.push({ ...file, preview: undefined })
    else {
      const bytes = await deps.downloads.firstBytes(part, textBytes, reader)
      const type = sharedTypeOf(part.name, bytes.subarray(0, sniffedBytes), part.byteSize <= sniffedBytes)
      files.push({ ...file, preview: previewOf(left, { type, bytes, byteSize: part.byteSize }) })
    }
  }
  return {
    title: (origin && titleOf(origin)) ?? run.id,
    sender: origin?.company_name,
    status: run.state,
    queuedAt: run.queued_at,
    endedAt: run.terminal_at,
    expiresAt: link.expires_at,
    output: await readInlineOutput(deps, key),
    remarks: remarksOf(run, content)
      .filter(({ code }) => code !== 'no_output')
      .map(({ message }) => message),
    files,
    more: rows.length - files.length,
  }
}

const titleMaxLength = 120

/** The description if it is as short as a title, otherwise the name. */
function titleOf(task: { task_name: string; task_description: string }): string {
  const description = task.task_description.trim()
  const isTitle = description !== '' && description.length <= titleMaxLength && !description.includes('\n')
  return isTitle ? description.replace(/\.$/, '') : task.task_name
}

function previewOf(
  left: { images: number; texts: number },
  { type, bytes, byteSize }: { type: string | undefined; bytes: Buffer; byteSize: number },
): SharedFile['preview'] {
  if (type === undefined) return undefined
  if (isImage(type)) {
    if (left.images === 0 || byteSize > (isRaster(type) ? imageMaxBytes : svgMaxBytes)) return undefined
    left.images -= 1
    return { kind: 'image' }
  }
  if (left.texts === 0) return undefined
  left.texts -= 1
  const kind = type.startsWith('text/csv') ? 'csv' : 'text'
  return { kind, text: bytes.toString('utf8'), isCut: byteSize > bytes.length }
}
