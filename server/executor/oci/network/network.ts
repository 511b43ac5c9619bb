import { randomInt } from 'node:crypto'
import type { AllowList } from '../../allow-list.ts'
import { ExecutorRefused, type Refusals, type SandboxSpec } from '../../port.ts'
import { networkNames } from './addresses.ts'
import { type Link, LinkMaker } from './link-maker.ts'
import { registryEndpoints } from './registry-endpoints.ts'
import { Resolver } from './resolver.ts'
import { Router, removeRouter } from './router.ts'
import { endPullRules, type ListedLink, listRules, type RegistryEndpoints, registryRules } from './rules.ts'

export interface NetworkOptions {
  dataDir: string
  /** The compiled native/links.c. */
  linksProgram: string
  /** The compiled native/resolver.c. */
  resolverProgram: string
  /** The operator's switch for jobs. */
  jobs: boolean
  /** Whether there is a registry that base images may be pulled from. */
  pulls: boolean
  /** `host[:port]` of the operator's own registry. */
  registry: string | undefined
  onError: (error: unknown) => void
}

/** What a sandbox may reach. */
type Reach = Pick<Exclude<SandboxSpec['network'], 'none'>, 'allow' | 'registry'> & {
  owner?: number | undefined
}

interface Open {
  router: Router
  maker: LinkMaker
  resolver: Resolver
}

/** Links that wait for a sandbox. */
const poolSize = 8

/** Numbers of lists: above the marks of refusals, and none comes again soon. */
const marks = { first: 0x1_0000, last: 0x7fff_ffff }

/**
 * The network of this machine's sandboxes: one router, and links made ahead for it. A link is used once. Whatever
 * fails while the router is made is told to the start that wanted a link, and tried again with the next one: no
 * sandbox starts with a link that the rules do not stand behind, or without the link it was to have.
 */
export class Network {
  readonly #options: NetworkOptions
  #opening: Promise<Open> | undefined
  #open: Open | undefined
  readonly #pool: Link[] = []
  #refilling = false
  #inUse = 0
  /** By the number of the link. */
  readonly #lists = new Map<number, ListedLink>()
  /** What each link shares with others, by the number of the link. */
  readonly #shares = new Map<number, number>()
  /** Numbers of the links that reach the operator's own registry. */
  readonly #pulls = new Set<number>()
  #nextMark = randomInt(marks.first, marks.last)

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  /** Makes everything ready before a start asks for it; a failure is told and does not hold the agent up. */
  async prepare(): Promise<void> {
    const { jobs, onError, dataDir } = this.#options
    try {
      if (jobs) await this.#opened()
      else if (this.#inUse === 0) await removeRouter(networkNames(dataDir))
    } catch (error) {
      if (jobs) onError(error)
    }
  }

  /** A link that no sandbox had before; with a list, it is held to that before anybody has it. */
  async take(use: 'jobs' | 'pulls', { allow, registry, owner }: Reach): Promise<Link> {
    if (!this.#options[use]) {
      throw new ExecutorRefused('network_off', `the operator has switched the network of ${use} off`)
    }
    const { maker, router, resolver } = await this.#opened()
    await router.refresh()
    const link = this.#pool.shift() ?? (await maker.make())
    this.#inUse += 1
    this.#refill()
    if (owner !== undefined) {
      this.#shares.set(link.index, owner)
      resolver.share(link.index, owner)
    }
    try {
      if (registry) {
        this.#pulls.add(link.index)
        await router.nft(registryRules([link.index], await this.#registry()))
      }
      if (!allow) return link
      const listed = this.#list(link, allow)
      await Promise.all([router.nft(listRules('add', listed)), resolver.hold(listed)])
      return link
    } catch (error) {
      this.release(link)
      throw error
    }
  }

  /** Counts a link that a sandbox of an earlier agent has. Call before `prepare`. */
  adopt(link: Link, { allow, registry, owner }: Reach): void {
    this.#inUse += 1
    if (owner !== undefined) this.#shares.set(link.index, owner)
    if (allow) this.#list(link, allow)
    if (registry) this.#pulls.add(link.index)
  }

  /** What was refused to the link since it was asked last; undefined where nothing was, or nobody knows. */
  async takeRefusals({ index }: Link): Promise<Refusals | undefined> {
    const refusals = await this.#open?.resolver.takeRefusals(index).catch(this.#options.onError)
    return refusals?.entries.length ? refusals : undefined
  }

  /** The sandbox is gone. The next router, and the next resolver, start without it. */
  release(link: Link): void {
    this.#inUse -= 1
    this.#open?.maker.drop(link)
    if (this.#pulls.delete(link.index)) {
      this.#open?.router.nft(endPullRules(link.index)).catch(this.#options.onError)
    }
    this.#shares.delete(link.index)
    const listed = this.#lists.get(link.index)
    this.#lists.delete(link.index)
    this.#open?.resolver.letGo(link.index)
    if (listed) this.#open?.router.nft(listRules('delete', listed)).catch(this.#options.onError)
  }

  #list({ index }: Link, allow: AllowList): ListedLink {
    const listed = { index, mark: this.#nextMark, allow }
    this.#nextMark = this.#nextMark < marks.last ? this.#nextMark + 1 : marks.first
    this.#lists.set(index, listed)
    return listed
  }

  /** Leaves the router only to sandboxes that go on. */
  async stop(): Promise<void> {
    const open = await this.#opening?.catch(() => undefined)
    await Promise.all([open?.maker.stop(), open?.resolver.stop()])
    if (this.#inUse === 0) await removeRouter(networkNames(this.#options.dataDir))
  }

  #opened(): Promise<Open> {
    if (this.#open?.maker.isGone) this.#forget()
    this.#opening ??= this.#openAnew().catch((error: unknown) => {
      this.#forget()
      throw error
    })
    return this.#opening
  }

  #forget(): void {
    void this.#open?.resolver.stop()
    this.#opening = undefined
    this.#open = undefined
    this.#pool.length = 0
  }

  async #openAnew(): Promise<Open> {
    const router = await Router.open(networkNames(this.#options.dataDir), this.#lists)
    if (this.#pulls.size > 0) await router.nft(registryRules([...this.#pulls], await this.#registry()))
    const maker = new LinkMaker(this.#options.linksProgram, router)
    // The maker answers only when it has come into the router's namespace.
    this.#pool.push(await maker.make())
    const resolver = new Resolver(this.#options.resolverProgram, router, {
      lists: this.#lists,
      shares: this.#shares,
    })
    this.#open = { router, maker, resolver }
    this.#refill()
    return this.#open
  }

  /** Where the operator's own registry is now. */
  async #registry(): Promise<RegistryEndpoints> {
    const { registry } = this.#options
    if (registry === undefined) {
      throw new ExecutorRefused('registry_missing', 'the operator has set no registry: SANDBOX_REGISTRY')
    }
    return await registryEndpoints(registry)
  }

  #refill(): void {
    const open = this.#open
    if (this.#refilling || !open) return
    this.#refilling = true
    const refill = async () => {
      while (this.#open === open && this.#pool.length < poolSize) this.#pool.push(await open.maker.make())
    }
    refill()
      .catch(this.#options.onError)
      .finally(() => {
        this.#refilling = false
      })
  }
}
