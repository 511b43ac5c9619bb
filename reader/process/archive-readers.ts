import { Readable } from 'node:stream'
import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import type { Log } from '../../server/base/logging.ts'
import type { BuilderSteps } from '../dockerfile/failed-instruction.ts'
import type { PartialBuild } from '../dockerfile/remaining-build.ts'
import { type ArchiveFormat, type ArchiveSource, contextBounds } from '../formats/archive.ts'
import { ArchiveRefused } from '../formats/archive-refused.ts'
import type { BundleFormat, BundleRules } from '../formats/bundle-entries.ts'
import { unknownTime } from '../formats/file-time.ts'
import { type FlatImageCounts, flatImageBounds } from '../images/flat-image.ts'
import type { ResolvedName } from '../images/image-manifest.ts'
import type { Inventory, LayerInventory } from '../inventory/inventory.ts'
import { maxInventoryBytes, parseInventory, parseLayerInventory } from '../inventory/parse-inventory.ts'
import type { ImageReading } from './image-verifier.ts'
import type { ReaderLimits, StartReader } from './reader-command.ts'
import type { ContextFacts, ReaderJob, Verdict } from './reader-messages.ts'
import { type ReaderDeath, ReaderDied, ReaderProcess } from './reader-process.ts'
import { SpareReader } from './spare-reader.ts'

const mib = 1024 ** 2
/** The reader should time out first, since its error names the entry. */
const graceMs = 5000

export const contextLimits: ReaderLimits = {
  memoryBytes: 256 * mib,
  timeoutMs: contextBounds.timeoutMs + graceMs,
}

/** An image has ten times the entries of a context. */
export const imageLimits: ReaderLimits = { memoryBytes: 768 * mib, timeoutMs: 30 * 60_000 }

/** A single death may be bad luck; if two readers die on the same bytes, the bytes are the cause. */
const maxDeaths = 2

/**
 * Reads untrusted archives, each in its own process. If a reader dies because of its archive, the archive is refused. If the
 * machine killed it, the error is an ordinary one, and the build is retried.
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
  readonly #images: SpareReader

  constructor(log: Log, start: StartReader, limits: ReaderLimits = contextLimits) {
    this.#log = log
    this.#start = start
    this.#limits = limits
    this.#images = new SpareReader(start, imageLimits)
  }

  /** Starts the process that reads the next image, so that it is ready when the image is. */
  prepareForImage(): void {
    this.#images.prepare()
  }

  /** Inspects a build context. Throws `ArchiveRefused` and `DockerfileRefused`. */
  async inspectContext(
    source: ArchiveSource,
    format: ArchiveFormat,
    signal?: AbortSignal,
  ): Promise<ContextFacts> {
    return this.#runJob({ kind: 'context', ...contextOf(source, format) }, source, signal)
  }

  /** Finds the instruction of an accepted context's Dockerfile at which a builder stopped. */
  async findInstruction(
    source: ArchiveSource,
    format: ArchiveFormat,
    { steps, partial = wholeBuild }: { steps: BuilderSteps; partial?: PartialBuild },
  ): Promise<FailedInstruction | undefined> {
    const job = { kind: 'instruction', ...contextOf(source, format), steps, partial } as const
    return (await this.#runJob(job, source)).found ?? undefined
  }

  /** Counts the files of a task's bundle after reading all of it. Throws `ArchiveRefused`. */
  async countBundleFiles(source: ArchiveSource, format: BundleFormat, rules: BundleRules): Promise<number> {
    const { byteSize } = source
    return (await this.#runJob({ kind: 'bundle', format, byteSize, rules }, source)).files
  }

  #runJob<K extends 'context' | 'instruction' | 'bundle'>(
    job: ReaderJob & { kind: K },
    source: ArchiveSource,
    signal?: AbortSignal,
  ): Promise<Extract<Verdict, { kind: K }>> {
    return this.retryOnDeath(async () => {
      const reader = new ReaderProcess(this.#start, this.#limits)
      const onAbort = () => reader.kill()
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        return accepted(await reader.runJob(job, source), job.kind)
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        signal?.removeEventListener('abort', onAbort)
        reader.kill()
      }
    })
  }

  /**
   * The context as a canonical tar for a build sandbox, where entries without a time get `modifiedAt`. The stream fails when the
   * reader does.
   */
  contextTar(source: ArchiveSource, format: ArchiveFormat, job: ContextTar = {}): Readable {
    return Readable.from(this.#tarBytes(source, format, job), { objectMode: false })
  }

  async *#tarBytes(
    source: ArchiveSource,
    format: ArchiveFormat,
    { partial = wholeBuild, modifiedAt = unknownTime }: ContextTar,
  ): AsyncGenerator<Buffer, void> {
    const reader = new ReaderProcess(this.#start, this.#limits)
    try {
      const job = { kind: 'context_tar', ...contextOf(source, format), partial, modifiedAt } as const
      const answer = reader.runJob(job, source)
      // The pipe ends with the process. If the reader refused the archive or died, the tar is incomplete.
      const verdict = answer.finally(() => reader.finish())
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

  /** Starts to read an image. The caller writes its bytes to the process. */
  readImage(): ImageReading<FlatImageCounts> {
    return startReading(this.#images.take(), { kind: 'image', bounds: flatImageBounds })
  }

  /** The same for a layer above a base image of these counts; the bounds are those of the whole image. */
  readLayer(base: FlatImageCounts): ImageReading<FlatImageCounts> {
    const { maxBytes, maxEntries } = flatImageBounds
    const left = { maxBytes: maxBytes - base.unpackedBytes, maxEntries: maxEntries - base.entries }
    return startReading(this.#images.take(), { kind: 'layer', bounds: { ...flatImageBounds, ...left } })
  }

  /** The same for a pulled base image, which must have this digest. */
  readBaseImage(digest: string): ImageReading<object> {
    return startReading(this.#images.take(), { kind: 'base_image', digest })
  }

  /** The same for a cached stage; `image` is the digest of its manifest. */
  readCachedStage(): ImageReading<{ image: string }> {
    return startReading(this.#images.take(), { kind: 'cached_stage' })
  }

  /** Parses a registry's document for a name; `pinned` if the name has a digest. Throws `ArchiveRefused`. */
  async readBaseName(open: () => Promise<Readable>, pinned: string | undefined): Promise<ResolvedName> {
    return await this.retryOnDeath(async () => {
      const job = { kind: 'base_name', ...(pinned !== undefined && { pinned }) } as const
      const { reader, facts } = startReading(this.#images.take(), job)
      try {
        const [{ digest, image }] = await Promise.all([facts, sendAll(reader, await open())])
        return { digest, image }
      } finally {
        reader.kill()
      }
    })
  }

  /** Takes the inventory of a stored image. `open` opens its uncompressed layer, once for each attempt. */
  scanImage(open: () => Promise<Readable>, signal: AbortSignal): Promise<Inventory> {
    return this.#scan({ kind: 'scan' }, parseInventory, { open, signal })
  }

  /** The same for a layer; also says which of `paths` the layer hides. */
  scanLayer(paths: string[], open: () => Promise<Readable>, signal: AbortSignal): Promise<LayerInventory> {
    return this.#scan({ kind: 'scan_layer', paths }, (bytes) => parseLayerInventory(bytes, paths.length), {
      open,
      signal,
    })
  }

  async #scan<Found>(
    job: Extract<ReaderJob, { kind: 'scan' | 'scan_layer' }>,
    parse: (bytes: Buffer) => Found | undefined,
    { open, signal }: { open: () => Promise<Readable>; signal: AbortSignal },
  ): Promise<Found> {
    return await this.retryOnDeath(async () => {
      const reader = this.#images.take()
      const onAbort = () => reader.kill()
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        const verdict = reader.runJob(job).finally(() => reader.finish())
        // The reader's exit is the cause to report, not the broken pipe.
        const written = readAll(reader.tar, maxInventoryBytes).catch(() => undefined)
        const [answer, bytes] = await Promise.all([verdict, written, sendAll(reader, await open())])
        accepted(answer, job.kind)
        const inventory = bytes && parse(bytes)
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

  /** Runs `work`, and retries it if a reader died, up to `maxDeaths`. */
  async retryOnDeath<T>(work: () => Promise<T>): Promise<T> {
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

/** Starts a job over bytes that the caller writes to the process. */
function startReading<K extends ReaderJob['kind']>(
  reader: ReaderProcess,
  job: ReaderJob & { kind: K },
): ImageReading<Extract<Verdict, { kind: K }>> {
  return { reader, facts: reader.runJob(job).then((verdict) => accepted(verdict, job.kind)) }
}

/** Writes an image to the reader, until the reader stops reading. */
async function sendAll(reader: ReaderProcess, layer: Readable): Promise<void> {
  for await (const chunk of layer) if (!(await reader.write(chunk as Buffer))) return
  reader.input.end()
}

/** Reads the stream to its end; undefined if it exceeds `maxBytes`. */
async function readAll(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let byteSize = 0
  for await (const chunk of stream) {
    byteSize += (chunk as Buffer).length
    if (byteSize > maxBytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

interface ContextTar {
  partial?: PartialBuild
  /** `file-time.ts`. */
  modifiedAt?: number
}

const wholeBuild: PartialBuild = { done: [] }

const contextOf = ({ byteSize }: ArchiveSource, format: ArchiveFormat) => ({
  format,
  byteSize,
  bounds: contextBounds,
})

/** The verdict, if its kind matches the job. Throws a refusal. */
function accepted<K extends Verdict['kind']>(verdict: Verdict, kind: K): Extract<Verdict, { kind: K }> {
  if (verdict.kind === 'refused') throw verdict.refusal
  if (verdict.kind !== kind) throw new ReaderDied('senseless_answer')
  return verdict as Extract<Verdict, { kind: K }>
}
