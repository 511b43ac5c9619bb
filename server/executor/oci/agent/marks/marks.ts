import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../../base/clock.ts'
import { FormerMarks } from './former-marks.ts'
import { hashOf, kindOf, type MarkKind, recordBytes, recordOf, wordsPerMark } from './mark.ts'
import { MarkFile, type Open, readMarks } from './mark-file.ts'
import { MarkTable } from './mark-table.ts'

/*
 * What the agent remembers of ids for which there is no sandbox any more: those that were removed, and those that were
 * forbidden before they started. An id with a mark is never started.
 *
 * On disk there is a file for each day (mark-file.ts), in memory a table for each (mark-table.ts); a start reads all files, and
 * days that are old enough go as a whole. When may a mark go? It stands against a start that is still to come, and a start that
 * comes later than `startableMs` after its claim is refused by its claim's time (`start-in-time.ts`), however long a worker stood
 * still. A mark is younger than its id's claim, so one that is kept for `startableMs` is kept for long enough. A file takes marks
 * until the next one is made, which a full disk delays to the end of its day at most. Of the newest three files, which are kept
 * whatever happens, the later two were made on two days: the marks of a file that goes are older than a day, less what the
 * clock jumped meanwhile. Thirty days are kept as long as they are not too many, for who restores a database that is older than
 * its runs.
 */

export interface MarksOptions {
  /** Of the files. */
  folder: string
  /** Of the marks of former agents: an empty file for each. */
  formerFolder: string
  clock: Clock
  /** Told about failures that no caller waits for. */
  onError: (error: unknown) => void
  /** Marks in all, beyond which the oldest days go. */
  mostMarks?: number
  /** How files are opened to be written; by default as they are. */
  open?: Open
}

interface Day {
  name: string
  table: MarkTable
  /** Behind the last record that was read. */
  end: number
}

interface Pending {
  ids: readonly string[]
  kind: MarkKind
  written: PromiseWithResolvers<void>
}

const dayMs = 86_400_000
const daysKept = 30
/** The newest files, whatever the clock says: one that jumps ahead takes nothing that is still needed. */
const daysKeptMin = 3
/** While no further file can be made, one serves on for so many days. */
const daysServedOn = 2
/** 20 bytes each on disk and up to 45 in memory. */
const mostMarksDefault = 8_000_000
const dayPattern = /^\d{4}-\d\d-\d\d$/

export class Marks {
  readonly #options: MarksOptions
  readonly #former: FormerMarks
  /** Oldest first. */
  readonly #days: Day[] = []
  /** Of the newest day. */
  #file: MarkFile | undefined
  readonly #pending: Pending[] = []
  #writing: Promise<void> | undefined

  private constructor(options: MarksOptions) {
    this.#options = options
    this.#former = new FormerMarks(options.formerFolder, (ids) => this.add('removed', ids))
  }

  /** Reads what earlier agents have written. Refuses when a file cannot be read as marks. */
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

  /** Takes over the marks of former agents while this one works; until then each of them is found where it is. */
  adoptFormer(): void {
    this.#former.adopt().catch(this.#options.onError)
  }

  find(id: string): MarkKind | undefined {
    const hash = hashOf(id)
    const bits = this.#days.reduce((found, { table }) => found | table.bitsOf(hash), 0)
    return kindOf(bits) === 'removed' || this.#former.has(id) ? 'removed' : kindOf(bits)
  }

  /** Resolves when the marks are on disk, and remembers them then. Marks that are asked for meanwhile share one sync. */
  add(kind: MarkKind, ids: readonly string[]): Promise<void> {
    const written = Promise.withResolvers<void>()
    this.#pending.push({ ids, kind, written })
    this.#writing ??= this.#write()
    return written.promise
  }

  /** Resolves when nothing is written any more. */
  async close(): Promise<void> {
    await this.#former.stop()
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

  async #writeBatch(batch: readonly Pending[]): Promise<void> {
    const records = Buffer.concat(batch.flatMap(({ ids, kind }) => ids.map((id) => recordOf(id, kind))))
    const { day, file } = await this.#today()
    await file.append(records)
    for (let at = 0; at < records.length; at += recordBytes) {
      day.table.add(wordsAt(records, at), 0)
    }
  }

  /** On a disk that is too full for another file, that of the day before serves on. */
  async #today(): Promise<{ day: Day; file: MarkFile }> {
    const name = this.#dayBefore(0)
    const newest = this.#days.at(-1)
    if (!newest || newest.name < name) {
      try {
        await this.#beginDay(name)
      } catch (error) {
        if (!newest || newest.name < this.#dayBefore(daysServedOn)) throw error
        this.#options.onError(error)
      }
    }
    const day = this.#days.at(-1)
    if (!day) throw new Error('a day of marks is missing')
    this.#file ??= await MarkFile.reopen(join(this.#options.folder, day.name), day.end, this.#options.open)
    return { day, file: this.#file }
  }

  async #beginDay(name: string): Promise<void> {
    const file = await MarkFile.create(join(this.#options.folder, name), this.#options.open)
    await this.#file?.close()
    this.#file = file
    this.#days.push({ name, table: new MarkTable(), end: 0 })
    await this.#dropOld()
  }

  async #dropOld(): Promise<void> {
    const { mostMarks = mostMarksDefault, folder, onError } = this.#options
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
