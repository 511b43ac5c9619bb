import type { MirrorUse } from '../../port/package-mirror.ts'
import type { MirrorFailureCode } from './mirror-failure.ts'

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
