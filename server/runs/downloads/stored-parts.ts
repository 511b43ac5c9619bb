import type { Executing } from '../../db/database.ts'
import type { NamedPart } from '../../storage/downloads/verified-objects.ts'
import { findArtifact, type RunArtifactRow } from '../results/artifact-store.ts'
import { findContent, type RunContentRow } from '../results/run-content-store.ts'

/** The part of a run that is downloaded: its log, its output, or one artifact. */
export type RunObject = { kind: 'log' | 'output' } | { kind: 'artifact'; artifactId: string }

interface RunKey {
  id: string
  company_id: string
}

/** Undefined where the run has no such object, not any more, or not yet. */
export async function findPart(
  db: Executing,
  run: RunKey,
  object: RunObject,
): Promise<NamedPart | undefined> {
  const content = await findContent(db, run)
  if (content?.state !== 'active') return undefined
  if (object.kind !== 'artifact') return partOfContent(content, object.kind)
  const key = { companyId: run.company_id, runId: run.id, id: object.artifactId }
  const artifact = await findArtifact(db, key)
  return artifact && partOfArtifact(content, artifact)
}

export function partOfContent(content: RunContentRow, kind: 'log' | 'output'): NamedPart | undefined {
  const [key, byteSize, digest, extension] =
    kind === 'log'
      ? [content.log_key, content.log_bytes, content.log_digest, 'log']
      : [content.output_key, content.output_bytes, content.output_digest, 'json']
  if (key === null || byteSize === null || digest === null) return undefined
  return { key, start: 0, byteSize, digest, name: `${content.run_id}.${extension}` }
}

/** Undefined for an artifact that is retired. */
export function partOfArtifact(content: RunContentRow, artifact: RunArtifactRow): NamedPart | undefined {
  if (content.bundle_key === null || artifact.deletion_state !== 'active') return undefined
  return {
    key: content.bundle_key,
    start: artifact.bundle_offset,
    byteSize: artifact.byte_size,
    digest: artifact.digest,
    name: artifact.relative_path,
    modifiedAt: artifact.modified_at ?? undefined,
  }
}
