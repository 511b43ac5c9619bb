import { StringDecoder } from 'node:string_decoder'
import type { RunArtifact } from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import type { Executing } from '../../../db/database.ts'
import type { ObjectStorage } from '../../../storage/port.ts'
import type { ShownRun } from '../../model/run-row.ts'
import { findUsage } from '../../model/run-store.ts'
import { listArtifacts } from '../../results/artifact-store.ts'
import { findContent } from '../../results/run-content-store.ts'
import { renderArtifact } from './read-artifacts.ts'

/** The beginning of a text, and whether there is more. */
export interface Beginning {
  text: string
  isCut: boolean
}

/** The results of an ended run, bounded. */
export interface ResultBeginnings {
  output: Beginning
  log: Beginning
  /** By path, at most `filesMax`. */
  files: RunArtifact[]
  peakMemoryBytes: number | null
  cpuMs: number | null
  startedAt: Date | null
}

const nothing: Beginning = { text: '', isCut: false }

/** Reads it for who may read the run. Bytes that are no UTF-8 are replaced. Throws the errors of the object store. */
export async function readBeginnings(
  { db, storage }: { db: Executing; storage: ObjectStorage },
  run: Pick<ShownRun, 'id' | 'company_id'>,
  { textMaxBytes, filesMax }: { textMaxBytes: number; filesMax: number },
): Promise<ResultBeginnings> {
  const [content, usage] = await Promise.all([findContent(db, run), findUsage(db, run)])
  const stored = content?.state === 'active' ? content : undefined
  const beginning = async (key: string | null | undefined, byteSize: number | null | undefined) => {
    if (!key || !byteSize) return nothing
    const bytes = await storage.read(key, textMaxBytes)
    return bytes === undefined ? nothing : textOf(bytes, byteSize)
  }
  const list = { companyId: run.company_id, runId: run.id, deletionStates: ['active'], limit: filesMax }
  const [output, log, files] = await Promise.all([
    beginning(stored?.output_key, stored?.output_bytes),
    beginning(stored?.log_key, stored?.log_bytes),
    stored?.bundle_key ? listArtifacts(db, { ...list, afterPath: undefined }) : [],
  ])
  return {
    output,
    log,
    files: files.map(renderArtifact),
    peakMemoryBytes: usage?.peak_memory_bytes ?? null,
    cpuMs: usage?.cpu_ms ?? null,
    startedAt: usage?.started_at ?? null,
  }
}

/** A character that the limit divides is left out. */
function textOf(bytes: Buffer, byteSize: number): Beginning {
  const decoder = new StringDecoder('utf8')
  const text = decoder.write(bytes)
  const isCut = bytes.length < byteSize
  return { text: isCut ? text : text + decoder.end(), isCut }
}
