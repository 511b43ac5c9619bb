/*
 * The supervisor starts the parts of the service in stages, the parts of a stage at once when the stage before is
 * ready. It stops them one by one in reverse order, so that a part that accepts work stops before the part that does
 * it, and the database stops last. Each part restarts itself; the supervisor only knows the order.
 *
 * A first signal drains: the API stops accepting and answers open requests, the worker stops claiming and releases
 * what it holds, the host agent exits and leaves its sandboxes running, Postgres shuts down. A second signal kills
 * the rest. Nothing is lost either way: sandboxes have their own shims, and everything else is in the database, whose
 * commits are durable.
 */

/** A process of the service. */
export interface Part {
  readonly name: string
  start(): Promise<void>
  /** Drains; must resolve within a bounded time. */
  stop(): Promise<void>
  /** Kills the part at once; `stop` then resolves. */
  kill(): void
}

export class Supervisor {
  readonly #stages: Part[][]
  readonly #started: Part[] = []
  #stopping: Promise<void> | undefined

  /** In start order; within a stage, the last part stops first. */
  constructor(stages: Part[][]) {
    this.#stages = stages
  }

  /** Starts every part. If one cannot start, stops the others and rejects with its reason. */
  async start(): Promise<void> {
    try {
      for (const stage of this.#stages) {
        if (this.#stopping) return
        this.#started.push(...stage)
        await Promise.all(stage.map((part) => part.start()))
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

  /** Kills every part at once. */
  kill(): void {
    for (const part of this.#started) part.kill()
  }

  async #drain(): Promise<void> {
    for (const part of this.#started.toReversed()) await part.stop()
  }
}
