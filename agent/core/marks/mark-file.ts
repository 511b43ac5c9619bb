import { readFileSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ExecutorRefused } from '../../port/errors.ts'
import { syncPath } from '../records/exit-record.ts'
import { isWhole, recordBytes, wordsPerRecord } from './mark.ts'
import { MarkTable } from './mark-table.ts'

/*
 * Marks of one day: a header of the size of a record, records, and preallocated zeros. A record counts if its checksum is
 * right. Records are written in order and synced before the caller gets an answer, so bytes after the last complete record
 * were acknowledged to nobody: the next records overwrite them, as they overwrite those of a failed write. Because of the
 * preallocation a mark is one write of bytes without file system metadata, and a full disk still accepts some thousand marks:
 * removing a sandbox, which frees disk space, needs one.
 */

const header = Buffer.from('sandbox-jobs marks 1')
const preallocatedBytes = 3276 * recordBytes

export interface LoadedMarks {
  table: MarkTable
  /** Offset after the last complete record. */
  end: number
  /** Incomplete records before `end`: the disk has lost bytes. */
  damaged: number
}

/** Reads the whole file at once: two million marks are 40 MB and take half a second. */
export function readMarks(path: string): LoadedMarks {
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

/** The file in a buffer aligned for `Uint32Array`. */
function readAligned(path: string): Buffer {
  const bytes = readFileSync(path)
  return bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer)
}

/** The operations used on an open file of marks. */
export type OpenFile = Pick<FileHandle, 'write' | 'sync' | 'datasync' | 'stat' | 'close'>
export type OpenMarkFile = (path: string, flags: 'r+' | 'w+', mode?: number) => Promise<OpenFile>

/** A file of marks that is open for appending. */
export class MarkFile {
  readonly #file: OpenFile
  #end: number
  #size: number

  private constructor(file: OpenFile, end: number, size: number) {
    this.#file = file
    this.#end = end
    this.#size = size
  }

  /** Creates the file; it gets its name after its header and preallocated space are on disk. */
  static async create(path: string, openFile: OpenMarkFile = open): Promise<MarkFile> {
    const fresh = `${path}.new`
    const file = await openFile(fresh, 'w+', 0o600)
    try {
      const bytes = Buffer.concat([header, Buffer.alloc(preallocatedBytes)])
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

  /** Opens an existing file to append after its last complete record. */
  static async reopen(path: string, end: number, openFile: OpenMarkFile = open): Promise<MarkFile> {
    const file = await openFile(path, 'r+')
    return new MarkFile(file, end, (await file.stat()).size)
  }

  /** Resolves when the records are on disk. Records of a failed write do not count: the next ones go to the same offset. */
  async append(records: Buffer): Promise<void> {
    const end = this.#end + records.length
    await writeAll(this.#file, records, this.#end)
    if (end > this.#size) await this.#file.sync()
    else await this.#file.datasync()
    this.#end = end
    this.#size = Math.max(this.#size, end)
    if (this.#size - end < preallocatedBytes / 2) await this.#preallocate().catch(() => undefined)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** May fail on a full disk; the next mark tries again. */
  async #preallocate(): Promise<void> {
    await writeAll(this.#file, Buffer.alloc(preallocatedBytes), this.#size)
    await this.#file.sync()
    this.#size += preallocatedBytes
  }
}

async function writeAll(file: OpenFile, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
