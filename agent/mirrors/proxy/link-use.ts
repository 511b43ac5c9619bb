import type { MirrorUse } from '../../port/package-mirror.ts'
import { MirrorFailure, type MirrorFailureCode } from './mirror-failure.ts'

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

type Use = Pick<MirrorUse, 'requests' | 'ingressBytes' | 'failures'>

/** The uses of each mirror by each link, until it is taken. */
export class LinkRecords {
  readonly #links = new Map<string, Map<string, Use>>()

  request(link: string, mirror: string): Use {
    const use = this.#use(link, mirror)
    use.requests += 1
    return use
  }

  failed(link: string, mirror: string, code: MirrorFailureCode): void {
    const { failures } = this.#use(link, mirror)
    failures[code] = (failures[code] ?? 0) + 1
  }

  /** Returns and forgets the records of a link. */
  take(link: string): Record<string, Use> {
    const found = this.#links.get(link) ?? new Map()
    this.#links.delete(link)
    return Object.fromEntries(found)
  }

  #use(link: string, mirror: string): Use {
    const uses = this.#links.get(link) ?? new Map<string, Use>()
    this.#links.set(link, uses)
    const use = uses.get(mirror) ?? { requests: 0, ingressBytes: 0, failures: {} }
    uses.set(mirror, use)
    return use
  }
}
