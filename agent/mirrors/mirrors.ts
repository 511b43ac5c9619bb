import { readFile } from 'node:fs/promises'
import { linkAddresses } from '../network/addresses.ts'
import { endMirroredRules, mirrorEndpointRules, mirroredRules } from '../network/mirror-rules.ts'
import type { Router } from '../network/router.ts'
import type { RuleRemovals } from '../network/rule-removals.ts'
import { ExecutorRefused } from '../port/errors.ts'
import type { MirrorUse } from '../port/package-mirror.ts'
import { type DeclaredMirror, readMirrors } from './declared-mirrors.ts'
import { mirrorAddress, mirrorName, portOf } from './mirror-address.ts'
import { addressesOf, hostOf, isUsable } from './mirror-endpoints.ts'
import { MirrorProxy } from './mirror-proxy.ts'
import type { ProxyMirror } from './proxy/mirror-target.ts'

/** Records of a link; `isComplete` is false if the proxy was started again meanwhile. */
export interface MirrorRecords {
  uses: MirrorUse[]
  isComplete: boolean
}

export interface MirrorsOptions {
  /** The agent's folder, with the operator's declarations. */
  folder: string
  onError: (error: unknown) => void
}

type MirrorRouter = Pick<Router, 'namespace' | 'nft'>

/** The operator's package mirrors for the links of build steps. The declarations are read again for each link. */
export class Mirrors {
  readonly #options: MirrorsOptions
  /** Links that may reach the proxy, with the proxy at their start; undefined: an earlier agent's. */
  readonly #links = new Map<number, MirrorProxy | undefined>()
  #proxy: MirrorProxy | undefined
  #current = ''
  #opening: Promise<MirrorProxy> | undefined

  constructor(options: MirrorsOptions) {
    this.#options = options
  }

  /** Registers the link of an earlier agent. */
  adopt(index: number): void {
    this.#links.set(index, undefined)
  }

  /** Adds the adopted links to the rules of a new router. */
  async restore(router: MirrorRouter): Promise<void> {
    this.#current = ''
    await this.#proxy?.stop()
    this.#proxy = undefined
    if (this.#links.size === 0) return
    await router.nft(mirroredRules([...this.#links.keys()]))
    await this.#refreshed(router)
  }

  /** Opens the declared mirrors to a link. Refuses with `mirrors_unreadable` or `mirror_proxy`. */
  async open(index: number, router: MirrorRouter): Promise<void> {
    this.#links.set(index, undefined)
    await router.nft(mirroredRules([index]))
    const proxy = await this.#refreshed(router)
    // Requests of an earlier link with this address may have failed after its end. A proxy that died has no records either.
    await proxy.request({ take: linkAddresses(index).ip4 }).catch(() => undefined)
    this.#links.set(index, proxy)
  }

  /** The uses of the link since its start; undefined if it has no mirrors. */
  async takeRecords(index: number): Promise<MirrorRecords | undefined> {
    if (!this.#links.has(index)) return undefined
    const proxy = this.#proxy
    const isSame = proxy !== undefined && this.#links.get(index) === proxy && !proxy.isGone
    const found =
      (await proxy?.request({ take: linkAddresses(index).ip4 }).catch(this.#options.onError)) ?? {}
    const uses = Object.entries(
      found as Record<string, Pick<MirrorUse, 'requests' | 'ingressBytes' | 'failures'>>,
    )
    return {
      uses: uses.map(([name, use]) => ({ ...use, name, address: mirrorAddress, port: portOfName(name) })),
      isComplete: isSame,
    }
  }

  /** Call when the sandbox is gone. */
  release(index: number, removals: Pick<RuleRemovals, 'add'> | undefined): void {
    if (!this.#links.delete(index)) return
    removals?.add(endMirroredRules(index))
    this.#proxy?.request({ take: linkAddresses(index).ip4 }).catch(() => undefined)
  }

  async stop(): Promise<void> {
    await this.#proxy?.stop()
  }

  /** The proxy with the current mirrors; one refresh at a time. */
  #refreshed(router: MirrorRouter): Promise<MirrorProxy> {
    this.#opening = (this.#opening ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#refresh(router))
    return this.#opening
  }

  async #refresh(router: MirrorRouter): Promise<MirrorProxy> {
    const mirrors = await Promise.all((await readMirrors(this.#options.folder)).map(withAddresses))
    const proxy = this.#proxy && !this.#proxy.isGone ? this.#proxy : new MirrorProxy(router.namespace)
    const isNew = proxy !== this.#proxy
    const wanted = JSON.stringify(mirrors)
    if (!isNew && wanted === this.#current) return proxy
    try {
      await proxy.ready
      await router.nft(mirrorEndpointRules(mirrors.flatMap(endpointsOf)))
      await proxy.request({ set: mirrors })
    } catch (error) {
      await proxy.stop()
      if (error instanceof ExecutorRefused) throw error
      throw new ExecutorRefused(
        'mirror_proxy',
        'the proxy for package mirrors cannot be started: see sandbox doctor',
      )
    }
    this.#proxy = proxy
    this.#current = wanted
    return proxy
  }
}

/** A declared mirror with what is read for it now. A login or an authority that cannot be read closes that mirror. */
async function withAddresses(declared: DeclaredMirror): Promise<ProxyMirror> {
  const { kind, archive, url, inner, caFile, loginFile } = declared
  const read = (path: string | undefined) =>
    path === undefined ? undefined : readFile(path, 'utf8').catch(() => null)
  const [authority, login, found] = await Promise.all([
    read(caFile),
    read(loginFile),
    addressesOf(hostOf(new URL(url))),
  ])
  const isWhole = authority !== null && login !== null
  const addresses = isWhole ? found.filter((address) => isUsable(address, inner)).toSorted() : []
  return {
    kind,
    url,
    addresses,
    name: mirrorName(declared),
    ...(archive !== undefined && { archive }),
    ...(authority && { authority }),
    ...(login && { login: login.trim() }),
  }
}

function endpointsOf({ url, addresses }: ProxyMirror): { address: string; port: number }[] {
  const { port, protocol } = new URL(url)
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return addresses.map((address) => ({ address, port: number }))
}

const portOfName = (name: string): number => portOf(name.split('/')[0] as ProxyMirror['kind'])
