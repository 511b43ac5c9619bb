import { Readable } from 'node:stream'
import { CodedError, notFound } from '../base/coded-error.ts'
import type { Database } from '../db/database.ts'
import { ObjectMissing, type ObjectStorage, type OpenedObject } from '../storage/port.ts'
import { findArtifact } from './artifact-store.ts'
import { type ByteRange, rangeOf } from './byte-range.ts'
import { attachment } from './content-disposition.ts'
import { DownloadPlaces } from './download-places.ts'
import { findLiveLinkByToken, type PublicLinkRow } from './public-link-store.ts'
import { hashLinkToken } from './public-links.ts'
import { findContent } from './run-content-store.ts'
import { type StoredPart, VerifiedObjects } from './verified-objects.ts'

export interface DownloadDeps {
  db: Database
  storage: ObjectStorage
}

export interface Download {
  body: Readable
  /** Of the whole object, whatever range of it is sent. */
  byteSize: number
  /** Absent: all of it. */
  range: ByteRange | undefined
  etag: string
  contentDisposition: string
}

export interface DownloadRequest {
  token: string
  /** Headers of the request. */
  range?: string | undefined
  ifRange?: string | undefined
  /** Waits for the turn of the company that the link is of. */
  takeTurn: (companyId: string) => Promise<void>
  /** Fires when the reader has gone. */
  signal: AbortSignal
}

interface NamedPart extends StoredPart {
  name: string
}

/** The object has no byte of the range that was asked for. */
export class RangeNotSatisfiable extends CodedError {
  readonly contentRange: string
  constructor(byteSize: number) {
    super('range_not_satisfiable')
    this.contentRange = `bytes */${byteSize}`
  }
}

/** A reader that takes nothing for so long gives its place to others. */
const stalledMs = 120_000

/** Downloads by public links, of one API process. */
export class PublicDownloads {
  readonly #deps: DownloadDeps
  readonly #places = new DownloadPlaces()
  readonly #verified: VerifiedObjects

  constructor(deps: DownloadDeps) {
    this.#deps = deps
    this.#verified = new VerifiedObjects(deps.storage)
  }

  /**
   * What a public link stands for. The bytes have been compared with their digest before the first one is handed out, and
   * are handed out from the very file that was compared. Throws `not_found` for any token that is not live and for
   * objects that are retired or gone, `downloads_busy`, `range_not_satisfiable`, `storage_unavailable`.
   */
  async open(request: DownloadRequest): Promise<Download> {
    const { db } = this.#deps
    const link = await findLiveLinkByToken(db, hashLinkToken(request.token))
    if (!link) throw notFound()
    await request.takeTurn(link.company_id)
    const part = await partOf(db, link)
    if (!part) throw notFound()
    const { byteSize } = part
    const etag = `"${part.digest.slice('sha256:'.length)}"`
    const isSame = request.ifRange === undefined || request.ifRange === etag
    const range = isSame ? rangeOf(request.range, byteSize) : undefined
    if (range === 'none') throw new RangeNotSatisfiable(byteSize)
    const giveBack = this.#places.take({ linkId: link.id, companyId: link.company_id })
    try {
      const { signal } = request
      const object = await this.#openVerified(part, { companyId: link.company_id, signal })
      const { start, end } = range ?? { start: 0, end: byteSize }
      const body = Readable.from(object.read(part.start + start, part.start + end), { objectMode: false })
      endWhenStalled(body)
      body.once('close', () => {
        giveBack()
        object.close().catch(() => undefined)
      })
      return { body, byteSize, range, etag, contentDisposition: attachment(part.name) }
    } catch (error) {
      giveBack()
      if (error instanceof ObjectMissing) throw notFound()
      throw error
    }
  }

  async #openVerified(
    part: StoredPart,
    who: { companyId: string; signal: AbortSignal },
  ): Promise<OpenedObject> {
    const object = await this.#deps.storage.opened(part.key)
    try {
      await this.#verified.verify(object, part, who)
      return object
    } catch (error) {
      await object.close()
      throw error
    }
  }
}

function endWhenStalled(body: Readable): void {
  const timer = setTimeout(() => body.destroy(), stalledMs).unref()
  body.on('data', () => timer.refresh()).pause()
  body.once('close', () => clearTimeout(timer))
}

async function partOf(db: Database, link: PublicLinkRow): Promise<NamedPart | undefined> {
  const content = await findContent(db, { id: link.run_id, company_id: link.company_id })
  if (content?.state !== 'active') return undefined
  if (link.artifact_id !== null) return artifactPart(db, link, content.bundle_key)
  const [key, byteSize, digest, extension] =
    link.object_kind === 'log'
      ? [content.log_key, content.log_bytes, content.log_digest, 'log']
      : [content.output_key, content.output_bytes, content.output_digest, 'json']
  if (key === null || byteSize === null || digest === null) return undefined
  return { key, start: 0, byteSize, digest, name: `${link.run_id}.${extension}` }
}

async function artifactPart(
  db: Database,
  link: PublicLinkRow,
  bundleKey: string | null,
): Promise<NamedPart | undefined> {
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
