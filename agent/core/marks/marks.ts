import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../server/base/clock.ts'
import { hashOf, kindOf, type MarkKind, recordBytes, recordOf, wordsPerMark } from './mark.ts'
import { MarkFile, type OpenMarkFile, readMarks } from './mark-file.ts'
import { MarkTable } from './mark-table.ts'

/*
 * Marks: what the agent remembers about ids whose sandbox no longer exists, because it was removed or was forbidden before it
 * started. An id with a mark is never started.
 *
 * On disk there is one file per day (mark-file.ts), in memory one table per day (mark-table.ts). The agent reads all files when it
 * starts, and deletes old days as a whole. When may a mark be deleted? It prevents a later start, and a start more than
 * `startableMs` after its claim is refused by the claim's time (`start-in-time.ts`), however long a worker was suspended. A
 * mark is younger than its id's claim, so keeping it for `startableMs` is enough. A file takes marks until the next one is
 * created, which a full disk delays to the end of its day at most. The newest three files are always kept, and the later two
 * were created on two different days: so the marks of a deleted file are older than one day, minus any jump of the clock.
 * Thirty days are kept unless there are too many marks, for operators who restore a database that is older than its runs.
 */

export interface MarksOptions {
  folder: string
  clock: Clock
  /** Receives failures that no caller waits for. */
  onError: (error: unknown) => void
  /** Maximum number of marks; beyond it the oldest days are deleted. */
  maxMarks?: number
  /** Opens files for writing; `fs.open` by default. */
  open?: OpenMarkFile
}

interface Day {
  name: string
  table: MarkTable
  /** Offset after the last record that was read. */
  end: number
}

interface PendingWrite {
  ids: readonly string[]
  kind: MarkKind
  written: PromiseWithResolvers<void>
}

const dayMs = 86_400_000
const daysKept = 30
/** Newest files that are always kept, so that a clock that jumps ahead deletes nothing that is still needed. */
const daysKeptMin = 3
/** Days for which a file may be used while no new file can be created. */
const maxDaysExtended = 2
/** 20 bytes each on disk and up to 45 in memory. */
const defaultMaxMarks = 8_000_000
const dayPattern = /^\d{4}-\d\d-\d\d$/

export class Marks {
  readonly #options: MarksOptions
  /** Oldest first. */
  readonly #days: Day[] = []
  /** The file of the newest day. */
  #file: MarkFile | undefined
  readonly #pending: PendingWrite[] = []
  #writing: Promise<void> | undefined

  private constructor(options: MarksOptions) {
    this.#options = options
  }

  /** Reads the files of earlier agents. Refuses with `marks` if a file is not a file of marks. */
  static async open(options: MarksOptions): Promise<Marks> {
    const marks = new Marks(options)
    const { folder } = options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name)
      if (!dayPattern.test(name)) {
        await rm(path, { force: true })
        continue
      }
      const { table, end, damaged } = readMarks(path)
      if (damaged > 0) options.onError(new Error(`${path}: ${damaged} records are cut or damaged`))
      marks.#days.push({ name, table, end })
    }
    await marks.#dropOld()
    return marks
  }

  find(id: string): MarkKind | undefined {
    const hash = hashOf(id)
    return kindOf(this.#days.reduce((found, { table }) => found | table.bitsOf(hash), 0))
  }

  /** Resolves when the marks are on disk; `find` returns them from then on. Concurrent calls share one sync. */
  add(kind: MarkKind, ids: readonly string[]): Promise<void> {
    const written = Promise.withResolvers<void>()
    this.#pending.push({ ids, kind, written })
    this.#writing ??= this.#write()
    return written.promise
  }

  /** Resolves when all writes have finished. */
  async close(): Promise<void> {
    await this.#writing
    await this.#file?.close()
    this.#file = undefined
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0)
      try {
        await this.#writeBatch(batch)
        for (const { written } of batch) written.resolve()
      } catch (error) {
        for (const { written } of batch) written.reject(error)
      }
    }
    this.#writing = undefined
  }

  async #writeBatch(batch: readonly PendingWrite[]): Promise<void> {
    const records = Buffer.concat(batch.flatMap(({ ids, kind }) => ids.map((id) => recordOf(id, kind))))
    const { day, file } = await this.#today()
    await file.append(records)
    for (let at = 0; at < records.length; at += recordBytes) {
      day.table.add(wordsAt(records, at), 0)
    }
  }

  /** If the disk is too full for a new file, yesterday's file is used. */
  async #today(): Promise<{ day: Day; file: MarkFile }> {
    const name = this.#dayBefore(0)
    const newest = this.#days.at(-1)
    if (!newest || newest.name < name) {
      try {
        await this.#startDay(name)
      } catch (error) {
        if (!newest || newest.name < this.#dayBefore(maxDaysExtended)) throw error
        this.#options.onError(error)
      }
    }
    const day = this.#days.at(-1)
    if (!day) throw new Error('a day of marks is missing')
    this.#file ??= await MarkFile.reopen(join(this.#options.folder, day.name), day.end, this.#options.open)
    return { day, file: this.#file }
  }

  async #startDay(name: string): Promise<void> {
    const file = await MarkFile.create(join(this.#options.folder, name), this.#options.open)
    await this.#file?.close()
    this.#file = file
    this.#days.push({ name, table: new MarkTable(), end: 0 })
    await this.#dropOld()
  }

  async #dropOld(): Promise<void> {
    const { maxMarks: mostMarks = defaultMaxMarks, folder, onError } = this.#options
    const oldestKept = this.#dayBefore(daysKept)
    let count = this.#days.reduce((sum, { table }) => sum + table.size, 0)
    for (const day of this.#days.slice(0, -daysKeptMin)) {
      if (day.name >= oldestKept && count <= mostMarks) return
      count -= day.table.size
      this.#days.shift()
      await rm(join(folder, day.name), { force: true }).catch(onError)
    }
  }

  #dayBefore(days: number): string {
    return new Date(this.#options.clock.now().getTime() - days * dayMs).toISOString().slice(0, 10)
  }
}

function wordsAt(records: Buffer, at: number): Uint32Array {
  const words = new Uint32Array(wordsPerMark)
  for (let word = 0; word < wordsPerMark; word += 1) words[word] = records.readUInt32LE(at + word * 4)
  return words
}
