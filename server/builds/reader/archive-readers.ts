import { Readable } from 'node:stream'
import type { FailedInstruction } from '@sandbox-jobs/contract/resources/build-details.ts'
import type { Log } from '../../base/logging.ts'
import { type ArchiveFormat, type ArchiveSource, contextBounds } from '../archive/archive.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import type { BundleFormat, BundleRules } from '../archive/bundle-entries.ts'
import { type FlatImageCounts, flatImageBounds } from '../archive/flat-image.ts'
import type { ResolvedName } from '../bases/image-manifest.ts'
import type { BuilderSteps } from '../dockerfile/failed-instruction.ts'
import type { PartialBuild } from '../dockerfile/remaining-build.ts'
import type { Inventory } from '../scan/inventory.ts'
import { maxInventoryBytes, parseInventory } from '../scan/parse-inventory.ts'
import type { ImageReading } from './image-proof.ts'
import type { ReaderLimits, StartReader } from './reader-command.ts'
import type { ContextFacts, ReaderJob, Verdict } from './reader-messages.ts'
import { type ReaderDeath, ReaderDied, ReaderProcess } from './reader-process.ts'

const mib = 1024 ** 2
/** A reader's own clock is the better one: it says what it was reading. */
const graceMs = 5000

export const contextLimits: ReaderLimits = {
  memoryBytes: 256 * mib,
  timeoutMs: contextBounds.timeoutMs + graceMs,
}

/** An image has ten times the entries of a context. */
export const imageLimits: ReaderLimits = { memoryBytes: 768 * mib, timeoutMs: 30 * 60_000 }

/** A reader that dies may have been unlucky; one that dies twice over the same bytes was killed by them. */
const maxDeaths = 2

/**
 * Reads what strangers packed, each archive in a process of its own that ends with it. A reader that dies costs its
 * archive: it is refused, when it was the archive; or an ordinary error, after which the build is tried again, when it was
 * the machine.
 */
export class ArchiveReaders {
  /** Readers that ended without a verdict since the start of this process. */
  readonly deaths: Record<ReaderDeath, number> = {
    time: 0,
    memory: 0,
    crash: 0,
    senseless_answer: 0,
    taken_away: 0,
  }
  readonly #log: Log
  readonly #start: StartReader
  readonly #limits: ReaderLimits

  constructor(log: Log, start: StartReader, limits: ReaderLimits = contextLimits) {
    this.#log = log
    this.#start = start
    this.#limits = limits
  }

  /** What a build context holds. Throws `ArchiveRefused` and `DockerfileRefused`. */
  async inspectContext(
    source: ArchiveSource,
    format: ArchiveFormat,
    signal?: AbortSignal,
  ): Promise<ContextFacts> {
    return this.#ask({ kind: 'context', ...contextOf(source, format) }, source, signal)
  }

  /** The instruction of an accepted context's Dockerfile at which a builder stopped. */
  async findInstruction(
    source: ArchiveSource,
    format: ArchiveFormat,
    { steps, partial = wholeBuild }: { steps: BuilderSteps; partial?: PartialBuild },
  ): Promise<FailedInstruction | undefined> {
    const job = { kind: 'instruction', ...contextOf(source, format), steps, partial } as const
    return (await this.#ask(job, source)).found ?? undefined
  }

  /** Files of a task's bundle, once all of it is read. Throws `ArchiveRefused`. */
  async countBundleFiles(source: ArchiveSource, format: BundleFormat, rules: BundleRules): Promise<number> {
    const { byteSize } = source
    return (await this.#ask({ kind: 'bundle', format, byteSize, rules }, source)).files
  }

  #ask<K extends 'context' | 'instruction' | 'bundle'>(
    job: ReaderJob & { kind: K },
    source: ArchiveSource,
    signal?: AbortSignal,
  ): Promise<Extract<Verdict, { kind: K }>> {
    return this.again(async () => {
      const reader = new ReaderProcess(this.#start, this.#limits)
      const onAbort = () => reader.kill()
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        return accepted(await reader.ask(job, source), job.kind)
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        signal?.removeEventListener('abort', onAbort)
        reader.kill()
      }
    })
  }

  /** The same context as the tar that a build sandbox takes. It breaks off when the reader does. */
  contextTar(source: ArchiveSource, format: ArchiveFormat, partial = wholeBuild): Readable {
    return Readable.from(this.#tarBytes(source, format, partial), { objectMode: false })
  }

  async *#tarBytes(
    source: ArchiveSource,
    format: ArchiveFormat,
    partial: PartialBuild,
  ): AsyncGenerator<Buffer, void> {
    const reader = new ReaderProcess(this.#start, this.#limits)
    try {
      const asked = reader.ask({ kind: 'context_tar', ...contextOf(source, format), partial }, source)
      // The pipe ends with the process; a reader that was refused something, or died, wrote no whole tar.
      const verdict = asked.finally(() => reader.finish())
      verdict.catch(() => undefined)
      let byteSize = 0
      for await (const bytes of reader.tar) {
        byteSize += (bytes as Buffer).length
        yield bytes as Buffer
      }
      const written = accepted(await verdict, 'context_tar').byteSize
      if (written !== byteSize) throw new ReaderDied('senseless_answer')
    } catch (error) {
      if (error instanceof ReaderDied) this.#count(error)
      throw error
    } finally {
      reader.kill()
    }
  }

  /** Begins to read an image; its bytes are given to the process by whoever has them. */
  readImage(): ImageReading<FlatImageCounts> {
    return reading(this.#start, { kind: 'image', bounds: flatImageBounds })
  }

  /** The same for a base image as a pull left it, which must be the one of this digest. */
  readBaseImage(digest: string): ImageReading<object> {
    return reading(this.#start, { kind: 'base_image', digest })
  }

  /** The same for what the first instructions of a stage made; `image` is the digest of its manifest. */
  readPrefix(): ImageReading<{ image: string }> {
    return reading(this.#start, { kind: 'prefix' })
  }

  /** What a registry says that a name means; `pinned` when the name is a digest. Throws `ArchiveRefused`. */
  async readBaseName(open: () => Promise<Readable>, pinned: string | undefined): Promise<ResolvedName> {
    return await this.again(async () => {
      const job = { kind: 'base_name', ...(pinned !== undefined && { pinned }) } as const
      const { reader, facts } = reading(this.#start, job)
      try {
        const [{ digest, image }] = await Promise.all([facts, giveAll(reader, await open())])
        return { digest, image }
      } finally {
        reader.kill()
      }
    })
  }

  /** What a stored image holds. `open` gives its uncompressed layer, anew for each try. */
  async scanImage(open: () => Promise<Readable>, signal: AbortSignal): Promise<Inventory> {
    return await this.again(async () => {
      const reader = new ReaderProcess(this.#start, imageLimits)
      const onAbort = () => reader.kill()
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        const verdict = reader.ask({ kind: 'scan' }).finally(() => reader.finish())
        // A pipe that breaks tells nothing: how the reader ended does.
        const written = takeAll(reader.tar, maxInventoryBytes).catch(() => undefined)
        const [answer, bytes] = await Promise.all([verdict, written, giveAll(reader, await open())])
        accepted(answer, 'scan')
        const inventory = bytes && parseInventory(bytes)
        if (!inventory) throw new ReaderDied('senseless_answer')
        return inventory
      } catch (error) {
        signal.throwIfAborted()
        throw error
      } finally {
        signal.removeEventListener('abort', onAbort)
        reader.kill()
      }
    })
  }

  /** Does `work` until a reader has lived through it, or too many have died of it. */
  async again<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof ReaderDied)) throw error
        this.#count(error)
        if (error.death === 'taken_away') throw error
        if (error.death === 'time') throw new ArchiveRefused('archive_timeout')
        if (tries === maxDeaths) throw new ArchiveRefused('archive_reader_died')
      }
    }
  }

  #count({ death }: ReaderDied): void {
    this.deaths[death] += 1
    this.#log.warn({ death, deaths: this.deaths }, 'an archive reader died')
  }
}

/** Begins a job over bytes that are given to the process. */
function reading<K extends ReaderJob['kind']>(
  start: StartReader,
  job: ReaderJob & { kind: K },
): ImageReading<Extract<Verdict, { kind: K }>> {
  const reader = new ReaderProcess(start, imageLimits)
  return { reader, facts: reader.ask(job).then((verdict) => accepted(verdict, job.kind)) }
}

/** All of an image, or as much as the reader takes. */
async function giveAll(reader: ReaderProcess, layer: Readable): Promise<void> {
  for await (const chunk of layer) if (!(await reader.give(chunk as Buffer))) return
  reader.input.end()
}

/** What comes until the end of the stream; undefined when it is more than it may be. */
async function takeAll(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let byteSize = 0
  for await (const chunk of stream) {
    byteSize += (chunk as Buffer).length
    if (byteSize > maxBytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

const wholeBuild: PartialBuild = { done: [] }

const contextOf = ({ byteSize }: ArchiveSource, format: ArchiveFormat) => ({
  format,
  byteSize,
  bounds: contextBounds,
})

/** The verdict, when it is the one that the job has; throws the refusal when it is one. */
function accepted<K extends Verdict['kind']>(verdict: Verdict, kind: K): Extract<Verdict, { kind: K }> {
  if (verdict.kind === 'refused') throw verdict.refusal
  if (verdict.kind !== kind) throw new ReaderDied('senseless_answer')
  return verdict as Extract<Verdict, { kind: K }>
}
