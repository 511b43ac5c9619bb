/*
 * The supervisor starts the parts of the service in stages, those of a stage at once when the stage before is ready,
 * and stops them one after another, the other way round: who takes work ends before who does it, and the database
 * ends last. A part looks after its own restarts; the supervisor only knows order.
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
  readonly #stages: Part[][]
  readonly #begun: Part[] = []
  #stopping: Promise<void> | undefined

  /** In the order of their start; within a stage, the last is stopped first. */
  constructor(stages: Part[][]) {
    this.#stages = stages
  }

  /** Starts every part; when one cannot start, stops the others and rejects with its reason. */
  async start(): Promise<void> {
    try {
      for (const stage of this.#stages) {
        if (this.#stopping) return
        this.#begun.push(...stage)
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

  /** Ends every part at once. */
  kill(): void {
    for (const part of this.#begun) part.kill()
  }

  async #drain(): Promise<void> {
    for (const part of this.#begun.toReversed()) await part.stop()
  }
}
