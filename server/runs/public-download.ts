import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { CodedError, notFound } from '../base/coded-error.ts'
import type { Database } from '../db/database.ts'
import { ObjectMissing, type ObjectStorage } from '../storage/port.ts'
import { findArtifact } from './artifact-store.ts'
import { attachment } from './content-disposition.ts'
import { findLiveLinkByToken, type PublicLinkRow } from './public-link-store.ts'
import { hashLinkToken } from './public-links.ts'
import { findContent } from './run-content-store.ts'

export interface DownloadDeps {
  db: Database
  storage: ObjectStorage
}

export interface Download {
  body: Readable
  byteSize: number
  contentDisposition: string
}

interface StoredRange {
  key: string
  start: number
  byteSize: number
  digest: string
  name: string
}

/**
 * What a public link stands for. The bytes are read and compared with their digest before the first one is handed out.
 * Throws `not_found` for any token that is not live and for objects that are retired or gone.
 */
export async function openDownload(deps: DownloadDeps, token: string): Promise<Download> {
  const link = await findLiveLinkByToken(deps.db, hashLinkToken(token))
  const range = link && (await rangeOf(deps.db, link))
  if (!range) throw notFound()
  try {
    const body = await verified(deps.storage, range)
    return { body, byteSize: range.byteSize, contentDisposition: attachment(range.name) }
  } catch (error) {
    if (error instanceof ObjectMissing) throw notFound()
    throw error
  }
}

/** Up to here an object is held while it is checked; a larger one is read twice. */
const heldMaxBytes = 1024 * 1024

async function verified(storage: ObjectStorage, range: StoredRange): Promise<Readable> {
  const digest = createHash('sha256')
  const held: Buffer[] = []
  const isHeld = range.byteSize <= heldMaxBytes
  for await (const chunk of await open(storage, range)) {
    digest.update(chunk as Buffer)
    if (isHeld) held.push(chunk as Buffer)
  }
  if (`sha256:${digest.digest('hex')}` !== range.digest) throw new CodedError('storage_unavailable')
  return isHeld ? Readable.from(held) : open(storage, range)
}

async function open(storage: ObjectStorage, range: StoredRange): Promise<Readable> {
  if (range.byteSize === 0) return Readable.from([])
  return storage.get(range.key, { start: range.start, end: range.start + range.byteSize - 1 })
}

async function rangeOf(db: Database, link: PublicLinkRow): Promise<StoredRange | undefined> {
  const content = await findContent(db, { id: link.run_id, company_id: link.company_id })
  if (content?.state !== 'active') return undefined
  if (link.artifact_id !== null) return artifactRange(db, link, content.bundle_key)
  const [key, byteSize, digest, extension] =
    link.object_kind === 'log'
      ? [content.log_key, content.log_bytes, content.log_digest, 'log']
      : [content.output_key, content.output_bytes, content.output_digest, 'json']
  if (key === null || byteSize === null || digest === null) return undefined
  return { key, start: 0, byteSize, digest, name: `${link.run_id}.${extension}` }
}

async function artifactRange(
  db: Database,
  link: PublicLinkRow,
  bundleKey: string | null,
): Promise<StoredRange | undefined> {
  const key = { companyId: link.company_id, runId: link.run_id, id: link.artifact_id ?? '' }
  const artifact = await findArtifact(db, key)
  if (bundleKey === null || artifact?.deletion_state !== 'active') return undefined
  return {
    key: bundleKey,
    start: artifact.bundle_offset,
    byteSize: artifact.byte_size,
    digest: artifact.digest,
    name: artifact.relative_path,
  }
}
