import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Database } from '../../../db/database.ts'
import { BackupProblem } from '../backup-problem.ts'
import { isStillInside, openInside } from '../copy-files.ts'
import type { ArchiveBound } from './archive-bound.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import { namesOfWhole } from './archived-segments.ts'
import { type LogPosition, segmentBytes } from './segments.ts'
import { listSegments } from './wal-store.ts'

export interface ArchivedLog {
  db: Database
  archive: ArchiveFolder
  /** Folder of the segments, in which the database server can write. */
  walDir: string
  bound: Pick<ArchiveBound, 'oldest' | 'take'>
  signal: AbortSignal
}

/**
 * Archives what was written before `end`, from the start of the oldest backup on: each segment that is whole, and the part of the last
 * one. A segment that the server has removed already is left out, so that later ones are archived nevertheless: another backup may start
 * there.
 */
export async function archiveLog(log: ArchivedLog, end: LogPosition): Promise<void> {
  const { db, archive, bound } = log
  const last = namesOfWhole(await archive.listSegments()).at(-1) ?? ''
  const due = (await listSegments(db)).filter((name) => name > last && name < end.segment)
  for (const name of due) {
    // The segment before may have needed room, for which the log of the oldest backup was removed.
    if (name >= (bound.oldest?.walSegment ?? '')) await put(log, { name, bytes: segmentBytes })
  }
  if (end.offset > 0) await put(log, { name: end.segment, bytes: end.offset })
}

async function put(
  { archive, walDir, bound, signal }: ArchivedLog,
  segment: { name: string; bytes: number },
): Promise<void> {
  const content = Readable.from(contentOfSegment(walDir, segment))
  const isPartial = segment.bytes < segmentBytes
  const grown = await archive.putSegment(
    { name: segment.name, isPartial },
    [content, createGzip({ level: 3 })],
    signal,
  )
  await bound.take(grown)
}

/**
 * The written part of a segment, and zeros up to its end: the server reads whole segments, and takes zeros for the end of the log. It
 * renames a segment that it needs no more and writes it again, so the content counts only if the name is the same after it was read.
 */
export async function* contentOfSegment(
  walDir: string,
  { name, bytes }: { name: string; bytes: number },
): AsyncGenerator<Buffer> {
  const file = await openInside(walDir, name)
  if (!file) throw new BackupProblem(`segment ${name} of the write-ahead log was removed`)
  try {
    let read = 0
    for await (const chunk of file.createReadStream({ autoClose: false, start: 0, end: bytes - 1 })) {
      read += chunk.length
      yield chunk
    }
    if (read !== bytes) throw new BackupProblem(`segment ${name} is shorter than it was`)
    if (!(await isStillInside(file, walDir, name)))
      throw new BackupProblem(`segment ${name} was removed while it was read`)
  } finally {
    await file.close()
  }
  if (bytes < segmentBytes) yield Buffer.alloc(segmentBytes - bytes)
}
