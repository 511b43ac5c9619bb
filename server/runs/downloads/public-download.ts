import { notFound } from '../../base/errors/coded-error.ts'
import type { Database } from '../../db/database.ts'
import type { Download, DownloadRequest, Downloads } from '../../storage/downloads/downloads.ts'
import { findLiveLinkByToken, type PublicLinkRow } from './public-link-store.ts'
import { hashLinkToken } from './public-links.ts'
import { findPart, type RunObject } from './stored-parts.ts'

export interface PublicDownloadDeps {
  db: Database
  downloads: Downloads
}

export interface PublicDownloadRequest extends DownloadRequest {
  token: string
  /** Waits for a turn of the company that owns the link. */
  takeTurn: (companyId: string) => Promise<void>
}

/**
 * Opens the object of a public link. Throws `not_found` for a token that is not live and for objects that are retired or
 * missing, and what `Downloads.open` throws.
 */
export async function openPublicDownload(
  { db, downloads }: PublicDownloadDeps,
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
