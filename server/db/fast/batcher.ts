import { currentDatabaseUse, type DatabaseUse, outsideRequests } from '../../base/current-request.ts'

/** Keys of one statement at most. */
const batchKeysMax = 256
/** Bytes of the keys of one statement at most; a single larger key is loaded alone. */
const batchBytesMax = 4 * 1024 * 1024
/** Statements in flight at once. All but one of them only wait for their commit. */
const inFlightMax = 2

/** Returns the row of each key, in the order of the keys. It may call `committing` once only its commit is left. */
type Load<Key, Row> = (keys: readonly Key[], committing: () => void) => Promise<readonly (Row | undefined)[]>

interface PendingKey<Key, Row> {
  key: Key
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
  /** Of the request that waits for it. */
  use: DatabaseUse | undefined
}

/**
 * Loads rows by key for concurrent requests, with one statement for all keys that arrived together: under load the round
 * trip is most of the cost of a small lookup. One statement runs at a time. Keys that arrive meanwhile wait for the next
 * one, so batches grow with the load. A load that ends with a commit may start the next one while it waits for the disk.
 *
 * A key is always read by a statement that starts after the key arrived, so a result is as fresh as that of a separate
 * statement. Nothing is cached. A statement runs outside of any request, since it is for several.
 */
export class Batcher<Key, Row> {
  readonly #load: Load<Key, Row>
  readonly #sizeOf: (key: Key) => number
  #waiting: PendingKey<Key, Row>[] = []
  /** From the scheduling of a statement until the next one may start. */
  #busy = false
  #inFlight = 0

  /** `sizeOf`: bytes of a key; 0 by default. */
  constructor(load: Load<Key, Row>, sizeOf: (key: Key) => number = () => 0) {
    this.#load = load
    this.#sizeOf = sizeOf
  }

  /** Adds a key to the next batch and resolves with its row. Rejects with the error of the statement. */
  add(key: Key): Promise<Row | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>()
    const use = currentDatabaseUse()
    if (use) use.atDatabase += 1
    this.#waiting.push({ key, resolve, reject, use })
    this.#schedule()
    return promise
  }

  /** Waits until all requests that have already arrived are parsed, so that they share the batch. */
  #schedule(): void {
    if (this.#busy || this.#inFlight >= inFlightMax) return
    this.#busy = true
    outsideRequests(() => setImmediate(() => void this.#loadBatch()))
  }

  /** Number of waiting keys in the next batch. */
  #count(): number {
    let bytes = 0
    const tooLarge = this.#waiting.findIndex(({ key }) => {
      bytes += this.#sizeOf(key)
      return bytes > batchBytesMax
    })
    return Math.min(batchKeysMax, tooLarge < 0 ? this.#waiting.length : Math.max(tooLarge, 1))
  }

  async #loadBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#count())
    this.#inFlight += 1
    let holds = true
    const startNext = () => {
      if (holds) this.#busy = false
      holds = false
      this.#next()
    }
    try {
      const keys = batch.map(({ key }) => key)
      const rows = await this.#load(keys, startNext).finally(() => {
        this.#inFlight -= 1
        startNext()
      })
      for (const [at, { resolve }] of batch.entries()) resolve(rows[at])
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      for (const { use } of batch) if (use) use.atDatabase -= 1
    }
  }

  /** Called before any row is delivered: the database executes the next statement while this one's responses are rendered. */
  #next(): void {
    if (this.#busy || this.#inFlight >= inFlightMax || this.#waiting.length === 0) return
    this.#busy = true
    void this.#loadBatch()
  }
}
