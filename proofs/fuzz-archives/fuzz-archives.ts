import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type ArchiveFormat, contextBounds } from '../../reader/formats/archive.ts'
import { sourceOf } from '../../reader/formats/archive-fixtures.ts'
import { contextLimits } from '../../reader/process/archive-readers.ts'
import type { ReaderJob, Verdict } from '../../reader/process/reader-messages.ts'
import { ReaderDied, ReaderProcess } from '../../reader/process/reader-process.ts'
import { SeededRandom } from '../../server/base/seeded-random.ts'
import { startTestReader } from '../../testing/test-readers.ts'
import { mutateArchive, type Sample } from './mutate-archive.ts'
import { samples } from './samples.ts'

const casesPerReader = 10_000
const chunkBytes = 64 * 1024
const pythonReader = resolve(import.meta.dirname, 'read-as-python.py')

/** Entries as Python reads them, or its error. */
type Listing = [path: string, kind: string, content: string][] | string

/**
 * Reads mutated archives in real reader processes, one process for many cases. Each case has to be accepted or refused with a
 * known slug. For an accepted archive Python has to read the same content as in the canonical tar.
 */
export class FuzzArchives {
  readonly verdicts = new Map<string, number>()
  /** Accepted archives that Python read too. */
  compared = 0
  readers = 0
  peakBytes = 0
  readonly #seed: number
  readonly #folder = mkdtempSync(join(tmpdir(), 'fuzz-archives-'))
  readonly #python: ChildProcess
  readonly #answers: AsyncIterator<string>
  #reader: ReaderProcess | undefined
  #casesOfReader = 0

  constructor(seed: number) {
    this.#seed = seed
    this.#python = spawn('python3', ['-I', pythonReader], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#answers = createInterface({ input: this.#python.stdout as Readable })[Symbol.asyncIterator]()
  }

  /** The fault of case `number`; undefined if there is none. */
  async try(number: number): Promise<string | undefined> {
    const { format, bytes } = this.make(number)
    try {
      const reader = await this.#readerForNext()
      const verdict = await reader.runJob(jobOf('context', format, bytes), sourceOf(bytes, chunkBytes))
      this.#count(verdict)
      return verdict.kind === 'refused' ? undefined : await this.#compare(reader, format, bytes)
    } catch (error) {
      if (!(error instanceof ReaderDied)) throw error
      this.#reader = undefined
      this.#count(error)
      return error.message
    }
  }

  make(number: number): Sample {
    const draw = new SeededRandom(this.#seed * 1_000_003 + number)
    const sample = draw.of(samples)
    return { format: sample.format, bytes: mutateArchive(draw, sample, samples) }
  }

  async close(): Promise<void> {
    await this.#endReader()
    this.#python.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #count(outcome: Verdict | ReaderDied): void {
    const name = outcome instanceof ReaderDied ? outcome.message : slugOf(outcome)
    this.verdicts.set(name, (this.verdicts.get(name) ?? 0) + 1)
  }

  async #readerForNext(): Promise<ReaderProcess> {
    if (this.#casesOfReader >= casesPerReader) await this.#endReader()
    this.#casesOfReader += 1
    if (!this.#reader) {
      this.#reader = new ReaderProcess(startTestReader, contextLimits)
      this.#casesOfReader = 0
      this.readers += 1
    }
    return this.#reader
  }

  async #endReader(): Promise<void> {
    this.peakBytes = Math.max(this.peakBytes, (await this.#reader?.peakBytes()) ?? 0)
    this.#reader?.kill()
    this.#reader = undefined
  }

  async #compare(reader: ReaderProcess, format: ArchiveFormat, bytes: Buffer): Promise<string | undefined> {
    const written: Buffer[] = []
    let byteSize = 0
    const collect = (chunk: Buffer) => {
      written.push(chunk)
      byteSize += chunk.length
    }
    reader.tar.on('data', collect)
    const verdict = await reader.runJob(jobOf('context_tar', format, bytes), sourceOf(bytes, chunkBytes))
    while (verdict.kind === 'context_tar' && byteSize < verdict.byteSize) await nextTurn()
    reader.tar.off('data', collect)
    if (verdict.kind !== 'context_tar') return `accepted, and then ${slugOf(verdict)}`
    const ours = withoutFrame(await this.#listing('tar', Buffer.concat(written)))
    const theirs = await this.#listing(format, bytes)
    this.compared += 1
    const isSame = JSON.stringify(ours) === JSON.stringify(theirs)
    return isSame ? undefined : `read as ${JSON.stringify(ours)}, by Python as ${JSON.stringify(theirs)}`
  }

  async #listing(format: ArchiveFormat, bytes: Buffer): Promise<Listing> {
    const path = join(this.#folder, 'archive')
    writeFileSync(path, bytes)
    const question = this.#python.stdin as Writable
    question.write(`${format} ${path}\n`)
    const { value, done } = await this.#answers.next()
    if (done) throw new Error('python3 has ended')
    return JSON.parse(value) as Listing
  }
}

const jobOf = (kind: 'context' | 'context_tar', format: ArchiveFormat, { length }: Buffer): ReaderJob => ({
  kind,
  format,
  byteSize: length,
  bounds: contextBounds,
  partial: { done: [] },
  modifiedAt: 0,
})

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

const slugOf = (verdict: Verdict): string => (verdict.kind === 'refused' ? verdict.refusal.slug : 'accepted')

/** Removes the entries that the platform adds around the context. */
const withoutFrame = (listing: Listing): Listing =>
  typeof listing === 'string'
    ? listing
    : listing
        .filter(([path]) => path !== 'context' && path !== 'complete')
        .map(([path, kind, content]) => [
          inContext(path),
          kind,
          kind === 'hard_link' ? inContext(content) : content,
        ])

const inContext = (path: string): string => path.replace(/^context\//, '')
