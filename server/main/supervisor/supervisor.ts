/*
 * The supervisor starts the parts of the service one after another, each when the one before is ready, and
 * stops them the other way round: who takes work ends before who does it, and the database ends last. A part
 * looks after its own restarts; the supervisor only knows order.
 *
 * A first signal drains: api stops accepting and answers what it has, worker stops claiming and hands back
 * what it holds, the host agent goes and leaves its sandboxes running, Postgres shuts down. A second signal
 * kills whatever is left. Nothing is lost either way: sandboxes have keepers of their own, and everything
 * else is in the database, whose commits are durable.
 */

/** A process of the service, or something like one. */
export interface Part {
  readonly name: string
  start(): Promise<void>
  /** Drains; must resolve within a bound of its own. */
  stop(): Promise<void>
  /** Ends at once; `stop` then resolves. */
  kill(): void
}

export class Supervisor {
  readonly #parts: Part[]
  readonly #begun: Part[] = []
  #stopping: Promise<void> | undefined

  /** `parts` in the order of their start. */
  constructor(parts: Part[]) {
    this.#parts = parts
  }

  /** Starts every part; when one cannot start, stops the others and rejects with its reason. */
  async start(): Promise<void> {
    try {
      for (const part of this.#parts) {
        if (this.#stopping) return
        this.#begun.push(part)
        await part.start()
      }
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Drains in reverse order; a second call waits for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#drain()
    return this.#stopping
  }

  /** Ends every part at once. */
  kill(): void {
    for (const part of this.#begun) part.kill()
  }

  async #drain(): Promise<void> {
    for (const part of this.#begun.toReversed()) await part.stop()
  }
}
