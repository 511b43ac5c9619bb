import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { hasCode } from '../../../base/errors/has-code.ts'
import { syncPath } from '../../../storage/folders.ts'
import { filesBelow } from '../copy-files.ts'
import { writeBackupFile } from '../encryption/backup-files.ts'
import { namePattern } from '../schedule/found-backups.ts'
import { type ArchivedSegment, fileNameOf, mostOfEach, segmentsIn } from './archived-segments.ts'
import type { ClusterBackup } from './cluster-backups.ts'

/*
 * The archive beside the scheduled backups, for restores to a moment:
 *
 *   wal/SEGMENT.gz           a segment of the write-ahead log
 *   wal/SEGMENT.partial.gz   what the segment that is being written had at the last turn
 *   files/TIME/              keys and objects that were written before this time and after the turn before
 *   files/since              its time of change is the start of the last turn
 *   until.json               the latest moment that can be restored
 *   new/                     segments, keys and objects that are being written: a kill leaves them, and the next turn removes them
 *
 * Encrypted files end with .age, as in a backup. A file or folder gets its name when all of it is on the disk.
 */

export class ArchiveFolder {
  readonly path: string
  readonly #recipients: readonly string[]
  /** Sizes of the folders of keys and objects by their names. Such a folder does not change, and may have millions of files. */
  readonly #filesBytes = new Map<string, number>()

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

  /** In the order of the log. If the archive has a segment both whole and in part, the part is left out. */
  async listSegments(): Promise<ArchivedSegment[]> {
    return mostOfEach(await this.#storedSegments())
  }

  async #storedSegments(): Promise<ArchivedSegment[]> {
    const folder = join(this.path, 'wal')
    return segmentsIn(folder, await namesIn(folder))
  }

  /** The start of the last turn. Undefined: there was none. */
  async filesSince(): Promise<Date | undefined> {
    const found = await stat(this.since).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
    })
    return found?.mtime
  }

  /** Names of the folders of keys and objects, which are their times. */
  async listFiles(): Promise<string[]> {
    const names = await namesIn(join(this.path, 'files'))
    return names.filter((name) => namePattern.test(name)).toSorted()
  }

  filesAt = (name: string): string => join(this.path, 'files', name)

  /** Bytes of all segments, keys and objects. */
  async byteSize(): Promise<number> {
    let bytes = await sizeOf((await this.#storedSegments()).map(({ file }) => file))
    for (const name of await this.listFiles()) bytes += await this.#sizeOfFiles(name)
    return bytes
  }

  async #sizeOfFiles(name: string): Promise<number> {
    const known = this.#filesBytes.get(name)
    if (known !== undefined) return known
    const folder = this.filesAt(name)
    let bytes = 0
    for await (const path of filesBelow(folder)) bytes += await sizeOf([join(folder, path)])
    this.#filesBytes.set(name, bytes)
    return bytes
  }

  /** Writes a segment, or replaces what it had, and returns by how many bytes the archive has grown. The whole one replaces the part. */
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
    const target = join(this.path, 'wal', path)
    const replaced = (await this.#storedSegments())
      .filter(({ name }) => name === segment.name)
      .map(({ file }) => file)
    const bytes = await sizeOf(replaced)
    await rename(join(fresh, path), target)
    await syncPath(join(this.path, 'wal'))
    for (const file of replaced) if (file !== target) await rm(file, { force: true })
    return byteSize - bytes
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

  /** Removes the log before a backup's, and keys and objects from before its start. Returns the number of bytes removed. */
  async removeBefore({ walSegment, name: start }: ClusterBackup): Promise<number> {
    const segments = (await this.#storedSegments()).filter(({ name }) => name < walSegment)
    const folders = (await this.listFiles()).filter((name) => name < start)
    let bytes = await sizeOf(segments.map(({ file }) => file))
    for (const { file } of segments) await rm(file, { force: true })
    for (const name of folders) {
      bytes += await this.#sizeOfFiles(name)
      await rm(this.filesAt(name), { recursive: true, force: true })
      this.#filesBytes.delete(name)
    }
    return bytes
  }
}

async function sizeOf(files: readonly string[]): Promise<number> {
  let bytes = 0
  for (const file of files) bytes += (await stat(file)).size
  return bytes
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
