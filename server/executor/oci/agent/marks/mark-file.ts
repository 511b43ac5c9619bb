import { readFileSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ExecutorRefused } from '../../../port.ts'
import { syncPath } from '../exit-record.ts'
import { isWhole, recordBytes, wordsPerRecord } from './mark.ts'
import { MarkTable } from './mark-table.ts'

/*
 * Marks of one day: a header as long as a record, records, and room of zeros that is on disk already. A record is there when
 * its checksum holds. Records are written one after another and synced before anybody is answered, so what a crash leaves
 * behind the last whole record was promised to nobody: the next records go over it, as they go over those of a write that
 * failed. The room makes a mark one write of bytes, without work of the file system, and lets a full disk still take some
 * thousand of them: what frees the disk, the removal of a sandbox, needs one.
 */

const header = Buffer.from('sandbox-jobs marks 1')
const roomBytes = 3276 * recordBytes

export interface FoundMarks {
  table: MarkTable
  /** Behind the last whole record. */
  end: number
  /** Records before that which are not whole: a disk that loses bytes. */
  damaged: number
}

/** Reads the file in one go: two million marks are 40 MB and take half a second. */
export function readMarks(path: string): FoundMarks {
  const bytes = readAligned(path)
  if (!bytes.subarray(0, header.length).equals(header)) {
    throw new ExecutorRefused(
      'marks',
      `${path} is no file of marks: restore it from a backup, or move it away when no sandbox of its day can be started again`,
    )
  }
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4))
  const table = new MarkTable(bytes.length / recordBytes)
  let end = recordBytes
  let notWhole = 0
  let damaged = 0
  for (let at = recordBytes; at + recordBytes <= bytes.length; at += recordBytes) {
    const word = (at / recordBytes) * wordsPerRecord
    if (words[word + 3] === 0 && words[word + 4] === 0) continue
    if (!isWhole(bytes, at)) {
      notWhole += 1
      continue
    }
    table.add(words, word)
    end = at + recordBytes
    damaged = notWhole
  }
  return { table, end, damaged }
}

/** In memory of its own, where its words can be read as words. */
function readAligned(path: string): Buffer {
  const bytes = readFileSync(path)
  return bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer)
}

/** What is asked of an open file of marks. */
export type OpenFile = Pick<FileHandle, 'write' | 'sync' | 'datasync' | 'stat' | 'close'>
export type Open = (path: string, flags: 'r+' | 'w+', mode?: number) => Promise<OpenFile>

/** A file of marks that takes more. */
export class MarkFile {
  readonly #file: OpenFile
  #end: number
  #size: number

  private constructor(file: OpenFile, end: number, size: number) {
    this.#file = file
    this.#end = end
    this.#size = size
  }

  /** Makes the file; it has its name only when its header and its room are on disk. */
  static async create(path: string, openFile: Open = open): Promise<MarkFile> {
    const fresh = `${path}.new`
    const file = await openFile(fresh, 'w+', 0o600)
    try {
      const bytes = Buffer.concat([header, Buffer.alloc(roomBytes)])
      await writeAll(file, bytes, 0)
      await file.sync()
      await rename(fresh, path)
      await syncPath(dirname(path))
      return new MarkFile(file, recordBytes, bytes.length)
    } catch (error) {
      await file.close()
      await rm(fresh, { force: true })
      throw error
    }
  }

  /** Goes on with a file behind its last whole record. */
  static async reopen(path: string, end: number, openFile: Open = open): Promise<MarkFile> {
    const file = await openFile(path, 'r+')
    return new MarkFile(file, end, (await file.stat()).size)
  }

  /** Resolves when the records are on disk. Those of a failed write count for nothing: the next go to the same place. */
  async append(records: Buffer): Promise<void> {
    const end = this.#end + records.length
    await writeAll(this.#file, records, this.#end)
    if (end > this.#size) await this.#file.sync()
    else await this.#file.datasync()
    this.#end = end
    this.#size = Math.max(this.#size, end)
    if (this.#size - end < roomBytes / 2) await this.#makeRoom().catch(() => undefined)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** On a full disk there is what there is; the next mark tries again. */
  async #makeRoom(): Promise<void> {
    await writeAll(this.#file, Buffer.alloc(roomBytes), this.#size)
    await this.#file.sync()
    this.#size += roomBytes
  }
}

async function writeAll(file: OpenFile, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
