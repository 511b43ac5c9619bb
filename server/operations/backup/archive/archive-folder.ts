import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { hasCode } from '../../../base/errors/has-code.ts'
import { syncPath } from '../../../storage/folders.ts'
import { filesBelow } from '../copy-files.ts'
import { writeBackupFile } from '../encryption/backup-files.ts'
import { namePattern } from '../schedule/found-backups.ts'
import { type ArchivedSegment, fileNameOf, mostOfEach, segmentsIn } from './archived-segments.ts'

/*
 * The archive beside the scheduled backups, for restores to a moment:
 *
 *   wal/SEGMENT.gz           a segment of the write-ahead log
 *   wal/SEGMENT.partial.gz   what the segment that is being written had at the last turn
 *   files/TIME/              keys and objects that were written before this time and after the turn before
 *   files/since              its time of change is the start of the last turn
 *   new/                     what is being written: a kill leaves it, and the next turn removes it
 *
 * Encrypted files end with .age, as in a backup. A file or folder gets its name when all of it is on the disk.
 */

export class ArchiveFolder {
  readonly path: string
  readonly #recipients: readonly string[]

  /** @param backups the folder of scheduled backups */
  constructor(backups: string, recipients: readonly string[] = []) {
    this.path = join(backups, 'archive')
    this.#recipients = recipients
  }

  get since(): string {
    return join(this.path, 'files/since')
  }

  async makeFolders(): Promise<void> {
    for (const name of ['wal', 'files', 'new'])
      await mkdir(join(this.path, name), { recursive: true, mode: 0o700 })
  }

  /** Removes what an interrupted turn left. */
  clear = (): Promise<void> => rm(join(this.path, 'new'), { recursive: true, force: true })

  /** In their order; of a segment the whole one alone, if it is there. */
  async listSegments(): Promise<ArchivedSegment[]> {
    return mostOfEach(await this.#storedSegments())
  }

  async #storedSegments(): Promise<ArchivedSegment[]> {
    const folder = join(this.path, 'wal')
    return segmentsIn(folder, await namesIn(folder))
  }

  /** When the log was archived last. */
  async lastTurn(): Promise<Date | undefined> {
    const newest = (await this.listSegments()).at(-1)
    return newest && (await stat(newest.file)).mtime
  }

  /** Names of the folders of keys and objects, which are their times. */
  async listFiles(): Promise<string[]> {
    const names = await namesIn(join(this.path, 'files'))
    return names.filter((name) => namePattern.test(name)).toSorted()
  }

  filesAt = (name: string): string => join(this.path, 'files', name)

  async byteSize(): Promise<number> {
    let bytes = 0
    for await (const path of filesBelow(this.path)) bytes += (await stat(join(this.path, path))).size
    return bytes
  }

  /** Writes a segment, or replaces what it had, and returns its size. The whole one replaces the part. */
  async putSegment(
    segment: Pick<ArchivedSegment, 'name' | 'isPartial'>,
    content: [Readable, ...Duplex[]],
    signal: AbortSignal,
  ): Promise<number> {
    const fresh = join(this.path, 'new')
    const { path, byteSize } = await writeBackupFile(content, fileNameOf(segment), {
      ...{ target: fresh, recipients: this.#recipients, signal },
    })
    await syncPath(join(fresh, path))
    await rename(join(fresh, path), join(this.path, 'wal', path))
    await syncPath(join(this.path, 'wal'))
    const replaced = (await this.#storedSegments()).filter(
      ({ name, file, isPartial }) => isPartial && name === segment.name && basename(file) !== path,
    )
    for (const { file } of replaced) await rm(file, { force: true })
    return byteSize
  }

  /** Where keys and objects are written before they get their name. */
  freshFiles = (name: string) => ({
    target: join(this.path, 'new', name),
    recipients: this.#recipients,
  })

  /** Gives them their name. All of it must be on the disk. */
  async putFiles(name: string): Promise<void> {
    await rename(join(this.path, 'new', name), this.filesAt(name))
    await syncPath(join(this.path, 'files'))
  }

  /** Removes segments before this one, and keys and objects from before this time. Returns how many files and folders. */
  async removeBefore(segment: string, time: string): Promise<number> {
    const segments = (await this.listSegments()).filter(({ name }) => name < segment)
    const folders = (await this.listFiles()).filter((name) => name < time)
    for (const { file } of segments) await rm(file, { force: true })
    for (const name of folders) await rm(this.filesAt(name), { recursive: true, force: true })
    return segments.length + folders.length
  }
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
