import { Readable } from 'node:stream'
import { type Clock, systemClock } from '../../base/clock.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { ObjectMissing, type ObjectStorage, type OpenedObject } from '../port.ts'
import { sharedPieces } from '../shared-pieces.ts'
import { attachment, type ByteRange, rangeOf } from './download-headers.ts'
import { type Downloader, DownloadSlots } from './download-slots.ts'
import { PartReader } from './part-reader.ts'
import { SentBody } from './sent-body.ts'
import { type NamedPart, type StoredPart, VerifiedObjects } from './verified-objects.ts'

export interface Download {
  body: Readable
  /** Size of the whole object, also if only a range is sent. */
  byteSize: number
  /** Undefined: the whole object. */
  range: ByteRange | undefined
  etag: string
  /** Never in the future, whatever time the file has. Undefined where it is unknown. */
  lastModified: Date | undefined
  contentDisposition: string
}

/** The requested part of an object, and a signal for the end of the request. */
export interface DownloadRequest {
  /** Headers of the request. */
  range?: string | undefined
  ifRange?: string | undefined
  /** Fires when the client has disconnected. */
  signal: AbortSignal
}

/** The reader of a stream; `signal` fires when it has gone. */
export interface StreamReader extends Downloader {
  signal: AbortSignal
}

/** The company that pays for a body; `signal` fires when its reader has gone. */
type BodyReader = Pick<StreamReader, 'companyId' | 'signal'>

/** The requested range contains no byte of the object. */
export class RangeNotSatisfiable extends CodedError {
  readonly contentRange: string
  constructor(byteSize: number) {
    super('range_not_satisfiable')
    this.contentRange = `bytes */${byteSize}`
  }
}

/** Bytes and objects that are compared before an archive of several objects is sent: about a second of work. */
const comparedBytesMax = 64 * 1024 ** 2
const comparedObjectsMax = 1000

/** A client that reads nothing for this long loses its slot. */
const stalledMs = 120_000

/** Time of the event loop that a byte of an object costs: it is read, and written to the socket. 1 ms for a MiB, measured. */
const objectByteMs = 1 / 1024 ** 2
/** And a byte that is made for its reader, whose buffer has to be collected too. 2 ms for a MiB, measured. */
const madeByteMs = 2 / 1024 ** 2

/** Charges a company for time of the event loop, and resolves when it may use it, or its reader has gone. */
type Spend = (companyId: string, ms: number, signal: AbortSignal) => Promise<void>

export interface DownloadOptions {
  clock?: Clock
  /** Absent: nothing is shared with others. */
  spend?: Spend
}

/** Downloads of one API process. They share its download slots and the record of verified objects. */
export class Downloads {
  readonly #storage: ObjectStorage
  readonly #slots = new DownloadSlots()
  readonly #verified: VerifiedObjects
  readonly #clock: Clock
  readonly #spend: Spend

  constructor(
    storage: ObjectStorage,
    { clock = systemClock, spend = async () => undefined }: DownloadOptions = {},
  ) {
    this.#storage = storage
    this.#clock = clock
    this.#spend = spend
    this.#verified = new VerifiedObjects(storage)
  }

  /**
   * Opens an object. The bytes are verified against their digest before the first one is sent, and are sent from the same
   * open file. Throws `not_found` for a missing object, `downloads_busy`, `range_not_satisfiable`, `storage_unavailable`.
   */
  async open(part: NamedPart, who: Downloader, request: DownloadRequest): Promise<Download> {
    const { byteSize } = part
    const etag = `"${part.digest.slice('sha256:'.length)}"`
    const isSame = request.ifRange === undefined || request.ifRange === etag
    const range = isSame ? rangeOf(request.range, byteSize) : undefined
    if (range === 'none') throw new RangeNotSatisfiable(byteSize)
    const { signal } = request
    const { start, end } = range ?? { start: 0, end: byteSize }
    const body = await this.#inSlot({ ...who, signal }, async (reader, release) => {
      const object = await this.#openVerified(part, reader)
      const pieces = sharedPieces(object, part.start + start, part.start + end)
      const sent = new SentBody(this.#charged(pieces, reader, objectByteMs), stalledMs)
      sent.once('close', () => object.close().catch(() => undefined))
      sent.once('close', release)
      endWithReader(sent, signal)
      return sent
    })
    const lastModified = part.modifiedAt && this.#past(part.modifiedAt)
    return { body, byteSize, range, etag, lastModified, contentDisposition: attachment(part.name) }
  }

  /** RFC 9110 forbids a time behind that of the answer. */
  #past(at: Date): Date {
    const now = this.#clock.now()
    return at > now ? now : at
  }

  /** Opens an object after verifying it. The caller closes it. Throws `ObjectMissing`. */
  async #openVerified(
    part: StoredPart,
    who: { companyId: string; signal: AbortSignal },
  ): Promise<OpenedObject> {
    const object = await this.#storage.opened(part.key)
    try {
      await this.#verified.verify(object, part, who)
      return object
    } catch (error) {
      await object.close()
      throw error
    }
  }

  /** For many parts that one request reads. */
  partReader(who: { companyId: string; signal: AbortSignal }): PartReader {
    return new PartReader(this.#storage, this.#verified, who)
  }

  /**
   * Throws `storage_unavailable` if one of the objects is not stored to its end, or one of the first has other bytes: so many as a
   * reader can wait for.
   */
  async requireStored(
    parts: readonly StoredPart[],
    who: { companyId: string; signal: AbortSignal },
  ): Promise<void> {
    const ends = new Map<string, number>()
    for (const { key, start, byteSize } of parts)
      ends.set(key, Math.max(ends.get(key) ?? 0, start + byteSize))
    for (const [key, end] of ends)
      if (((await this.#storage.size(key)) ?? -1) < end) throw new CodedError('storage_unavailable')
    let bytes = 0
    const reader = this.partReader(who)
    try {
      for (const part of parts.slice(0, comparedObjectsMax)) {
        bytes += part.byteSize
        if (bytes > comparedBytesMax) return
        await reader.compare(part)
      }
    } catch (error) {
      throw error instanceof ObjectMissing ? new CodedError('storage_unavailable') : error
    } finally {
      await reader.close()
    }
  }

  /**
   * The first `count` bytes of a verified object, fewer where it has no more. Throws `not_found` for a missing object, and
   * `downloads_busy`.
   */
  async firstBytes(part: StoredPart, count: number, reader: StreamReader): Promise<Buffer> {
    const release = this.#slots.take(reader)
    try {
      const object = await this.#openVerified(part, reader)
      try {
        const end = part.start + Math.min(count, part.byteSize)
        return Buffer.concat(await Array.fromAsync(object.read(part.start, end)))
      } finally {
        await object.close()
      }
    } catch (error) {
      throw error instanceof ObjectMissing ? notFound() : error
    } finally {
      release()
    }
  }

  /**
   * A body that holds a download slot from before it is opened until it is closed. Throws `downloads_busy`, `not_found` for a missing
   * object, and what `open` throws.
   */
  stream(who: StreamReader, open: () => Promise<Readable>): Promise<Readable> {
    return this.#inSlot(who, async (reader, release) => this.send(await open(), reader, release))
  }

  /** Takes a slot, which the body of `make` releases at its end. */
  async #inSlot(
    { signal, ...who }: StreamReader,
    make: (reader: BodyReader, release: () => void) => Promise<Readable>,
  ): Promise<Readable> {
    const release = this.#slots.take(who)
    try {
      return await make({ companyId: who.companyId, signal }, release)
    } catch (error) {
      release()
      throw error instanceof ObjectMissing ? notFound() : error
    }
  }

  /**
   * The bytes of a source, charged to their company. The body ends when its reader stalls or leaves, also before anybody reads it, and
   * then calls `release`: its reader has a slot, or another place.
   */
  send(source: Readable, reader: BodyReader, release: () => void): Readable {
    const charged = this.#charged(source, reader, madeByteMs)
    const body = Readable.from(charged, { objectMode: source.readableObjectMode })
    body.once('close', () => source.destroy())
    body.once('close', release)
    endWhenStalled(body)
    endWithReader(body, reader.signal)
    return body
  }

  async *#charged(
    source: AsyncIterable<Buffer>,
    { companyId, signal }: BodyReader,
    byteMs: number,
  ): AsyncGenerator<Buffer, void> {
    for await (const piece of source) {
      await this.#spend(companyId, piece.length * byteMs, signal)
      yield piece
    }
  }
}

function endWithReader(body: Readable, signal: AbortSignal): void {
  const end = () => body.destroy()
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  body.once('close', () => signal.removeEventListener('abort', end))
}

function endWhenStalled(body: Readable): void {
  // A body that flows waits for its bytes, such as for the comparison of a large file, and not for its reader.
  const endUnlessFlowing = () => (body.readableFlowing ? timer.refresh() : body.destroy())
  const timer = setTimeout(endUnlessFlowing, stalledMs).unref()
  body.on('data', () => timer.refresh()).pause()
  body.once('close', () => clearTimeout(timer))
}
