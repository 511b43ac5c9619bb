import { MirrorFailure } from './mirror-failure.ts'

/** Bounds the requests of each link, so that no build keeps the proxy from the others. */
export class LinkShares {
  readonly #running: number
  readonly #waiting: number
  readonly #links = new Map<string, { running: number; queue: (() => void)[] }>()

  /** Per link: `running` requests at once, and `waiting` more until one of them ends. */
  constructor({ running, waiting }: { running: number; waiting: number }) {
    this.#running = running
    this.#waiting = waiting
  }

  /** Resolves when the link may send a request. Call the result once at its end. Throws `mirror_busy` when too many wait. */
  async take(link: string): Promise<() => void> {
    const entry = this.#links.get(link) ?? { running: 0, queue: [] }
    this.#links.set(link, entry)
    if (entry.running < this.#running) entry.running += 1
    else {
      if (entry.queue.length >= this.#waiting) throw new MirrorFailure('mirror_busy')
      await new Promise<void>((resolve) => entry.queue.push(resolve))
    }
    return () => {
      const next = entry.queue.shift()
      if (next) return next()
      entry.running -= 1
      if (entry.running === 0) this.#links.delete(link)
    }
  }
}
