import { Readable } from 'node:stream'

/**
 * A body whose pieces may be in one buffer, one after another. Piped to an answer, a piece is written before the next is read, so that a
 * large download allocates no more than its buffer: buffers outside the heap bring a collection of all of it every 32 MiB, which
 * stops all requests. Any other reader gets copies. Ends when its reader takes nothing for `stalledMs`.
 */
export class SentBody extends Readable {
  readonly #pieces: AsyncIterator<Buffer, void>
  readonly #stalled: NodeJS.Timeout
  /** Waits for bytes, and not for its reader. */
  #isReading = false

  constructor(pieces: AsyncIterable<Buffer, void>, stalledMs: number) {
    super()
    this.#pieces = pieces[Symbol.asyncIterator]()
    const end = () => (this.#isReading ? this.#stalled.refresh() : this.destroy())
    this.#stalled = setTimeout(end, stalledMs).unref()
  }

  override _read(): void {
    this.#next().then(
      (piece) => this.push(piece ? Buffer.from(piece) : null),
      (error: Error) => this.destroy(error),
    )
  }

  override pipe<T extends NodeJS.WritableStream>(answer: T): T {
    this.#writeTo(answer).catch((error: Error) => this.destroy(error))
    return answer
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stalled)
    const ended = () => done(error)
    Promise.resolve(this.#pieces.return?.()).then(ended, ended)
  }

  async #writeTo(answer: NodeJS.WritableStream): Promise<void> {
    for (let piece = await this.#next(); piece && !this.destroyed; piece = await this.#next())
      await written(answer, piece)
    if (this.destroyed) return
    answer.end()
    this.push(null)
    // Nobody reads it, and it ends only when it is read.
    this.resume()
  }

  async #next(): Promise<Buffer | undefined> {
    this.#isReading = true
    const { value } = await this.#pieces.next()
    this.#isReading = false
    this.#stalled.refresh()
    return value ?? undefined
  }
}

/** Resolves when the system has the bytes, and their buffer may be used again. */
const written = (answer: NodeJS.WritableStream, piece: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    answer.write(piece, (error) => (error ? reject(error) : resolve()))
  })
