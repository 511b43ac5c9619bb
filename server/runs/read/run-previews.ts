import type { Readable } from 'node:stream'
import type { RunArtifact } from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { RunLookup } from '../lookup/run-lookup.ts'
import type { ShownRun } from '../model/run-row.ts'
import { renderArtifact } from './results/read-artifacts.ts'

/** A part of a stored object; `bytes` is undefined where it cannot be read now. */
interface Part {
  byteLength: number
  bytes: Buffer | undefined
}

export interface RunPreviews {
  /** The start of the output; undefined where the run has none. */
  output: Part | undefined
  /** The start of the log, and its end where the log is longer. */
  log: (Part & { tail: Buffer | undefined }) | undefined
  artifacts: { items: RunArtifact[]; total: number }
}

export interface PreviewBounds {
  outputBytes: number
  logBytes: number
  artifacts: number
}

/** Bounded parts of what a run has stored. An object store that fails costs its parts, not the answer. */
export async function readRunPreviews(
  { runs, storage }: { runs: RunLookup; storage: ObjectStorage },
  run: Pick<ShownRun, 'id' | 'company_id'>,
  bounds: PreviewBounds,
): Promise<RunPreviews> {
  const { content, artifacts, artifactsTotal } = await runs.storedOf(run, bounds.artifacts)
  const isStored = content?.state === 'active'
  const { output_key, output_bytes, log_key, log_bytes } = content ?? {}
  return {
    output:
      isStored && output_key && output_bytes != null
        ? {
            byteLength: output_bytes,
            bytes: await readPart(storage, output_key, 0, Math.min(output_bytes, bounds.outputBytes)),
          }
        : undefined,
    log:
      isStored && log_key && log_bytes != null
        ? await readLog(storage, { key: log_key, byteLength: log_bytes }, bounds.logBytes)
        : undefined,
    artifacts: {
      items: artifacts.map(renderArtifact),
      total: artifactsTotal,
    },
  }
}

async function readLog(
  storage: ObjectStorage,
  { key, byteLength }: { key: string; byteLength: number },
  bound: number,
): Promise<Part & { tail: Buffer | undefined }> {
  if (byteLength <= bound) {
    return { byteLength, bytes: await readPart(storage, key, 0, byteLength), tail: undefined }
  }
  const half = Math.floor(bound / 2)
  const bytes = await readPart(storage, key, 0, half)
  const tail = bytes && (await readPart(storage, key, byteLength - half, byteLength))
  return { byteLength, bytes: tail && bytes, tail }
}

async function readPart(
  storage: ObjectStorage,
  key: string,
  start: number,
  end: number,
): Promise<Buffer | undefined> {
  if (start >= end) return Buffer.alloc(0)
  try {
    return await readAll(await storage.get(key, { start, end: end - 1 }))
  } catch {
    // Missing, broken or gone: whatever the reason, the status of the run is still known.
    return undefined
  }
}

async function readAll(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
