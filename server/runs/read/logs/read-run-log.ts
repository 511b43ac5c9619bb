import { Readable } from 'node:stream'
import { downloaderOf } from '../../../access/downloader.ts'
import type { Principal } from '../../../access/principal.ts'
import { notFound } from '../../../base/errors/coded-error.ts'
import type { Downloads } from '../../../storage/downloads/downloads.ts'
import type { ObjectStorage } from '../../../storage/port.ts'
import { type RunAddress, requireReadableRun } from '../../lookup/readable-run.ts'
import type { ShownRun } from '../../model/run-row.ts'
import { findContent } from '../../results/run-content-store.ts'
import type { ReadDeps } from '../read-runs.ts'

export type RunLogDeps = Pick<ReadDeps, 'db' | 'directory' | 'runs'> & { storage: ObjectStorage }

/** A part of a log, in bytes. `tail` counts from the end and takes precedence over the others. */
export interface LogRange {
  start?: number | undefined
  length?: number | undefined
  tail?: number | undefined
}

interface StoredRunLog {
  byteSize: number
  open(range: LogRange): Promise<Readable>
}

/** The stored log of a run, for callers that may read the run. Throws `not_found` if there is none, or not yet, and `downloads_busy`. */
export async function openRunLog(
  deps: RunLogDeps & { downloads: Downloads },
  principal: Principal,
  { range, signal, ...address }: RunAddress & { range: LogRange; signal: AbortSignal },
): Promise<Readable> {
  const run = await requireReadableRun(deps, principal, 'run.read_log', address)
  const log = await findStoredLog(deps, run)
  if (!log) throw notFound()
  return deps.downloads.stream({ ...downloaderOf(principal), signal }, () => log.open(range))
}

export async function findStoredLog(
  { db, storage }: Pick<RunLogDeps, 'db' | 'storage'>,
  run: Pick<ShownRun, 'id' | 'company_id'>,
): Promise<StoredRunLog | undefined> {
  const content = await findContent(db, run)
  if (content?.state !== 'active' || content.log_key === null || content.log_bytes === null) return undefined
  const { log_key: key, log_bytes: byteSize } = content
  return {
    byteSize,
    open: async ({ tail, start = 0, length = byteSize }) => {
      const first = tail === undefined ? start : Math.max(0, byteSize - tail)
      const end = tail === undefined ? Math.min(byteSize, first + length) : byteSize
      return first >= end ? Readable.from([]) : storage.get(key, { start: first, end: end - 1 })
    },
  }
}
