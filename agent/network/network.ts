import { randomInt } from 'node:crypto'
import { settleAll } from '../../server/base/settle-all.ts'
import { type MirrorRecords, Mirrors } from '../mirrors/mirrors.ts'
import { type AllowList, isClosed } from '../port/allow-list.ts'
import { ExecutorRefused } from '../port/errors.ts'
import type { Reach } from '../port/network-reach.ts'
import type { Refusals } from '../port/network-refusals.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'
import { networkNames } from './addresses.ts'
import { registryEndpoints } from './host-lookup.ts'
import { type Link, LinkMaker } from './link-maker.ts'
import { Resolver } from './resolver.ts'
import { Router, removeRouter } from './router.ts'
import { RuleRemovals } from './rule-removals.ts'
import {
  endPullRules,
  type ListedLink,
  listRules,
  type RegistryEndpoints,
  recordRules,
  registryRules,
} from './rules.ts'
import { callerRules, type ServiceEndpoint } from './service-rules.ts'
import { readServiceTraffic, type ServiceTraffic } from './service-traffic.ts'

export interface NetworkOptions {
  dataDir: string
  /** The agent's folder, with the operator's package mirrors. */
  folder: string
  /** Path of the native program `links`. */
  linksProgram: string
  /** Path of the native program `resolver`. */
  resolverProgram: string
  /** Whether jobs may have a network. */
  jobs: boolean
  /** Whether base images may be pulled from a registry. */
  pulls: boolean
  /** Whether steps of builds may have a network. */
  builds: boolean
  /** `host[:port]` of the operator's registry. */
  registry: string | undefined
  /** Where the service itself listens on this machine; undefined: no sandbox may reach it. */
  service: ServiceEndpoint | undefined
  onError: (error: unknown) => void
}

/** The purpose of a link. The operator switches each purpose on or off, except a link that leads to the service alone. */
export type LinkUse = 'jobs' | 'pulls' | 'builds' | 'service'

/** Destinations that a sandbox may reach. */
type AllowedTargets = Pick<
  Exclude<SandboxSpec['network'], 'none'>,
  'allow' | 'registry' | 'recorded' | 'mirrors' | 'service'
> & {
  owner?: number | undefined
}

interface OpenNetwork {
  router: Router
  maker: LinkMaker
  resolver: Resolver
  removals: RuleRemovals
}

/** Number of links that are kept ready. */
const poolSize = 8

/** Numbers of lists: above the marks of refusals, and not reused soon. */
const marks = { first: 0x1_0000, last: 0x7fff_ffff }

/**
 * The network of this machine's sandboxes: one router, and links made in advance. A link is used once. A failure while the
 * router is made fails the start that needs a link, and the next start tries again: no sandbox starts with a link that the
 * rules do not cover, or without its link.
 */
export class Network {
  readonly #options: NetworkOptions
  #opening: Promise<OpenNetwork> | undefined
  #open: OpenNetwork | undefined
  readonly #pool: Link[] = []
  #refilling = false
  #inUse = 0
  /** By the number of the link. */
  readonly #lists = new Map<number, ListedLink>()
  /** Share number (company) of each link, by the number of the link. */
  readonly #shares = new Map<number, number>()
  /** Numbers of the links that may reach the operator's registry. */
  readonly #pulls = new Set<number>()
  /** Numbers of the links that may reach the service. */
  readonly #callers = new Set<number>()
  /** Links whose reach is recorded, with the resolver's session at their start; undefined: an earlier agent's. */
  readonly #recorded = new Map<number, object | undefined>()
  readonly #mirrors: Mirrors
  #nextMark = randomInt(marks.first, marks.last)

  constructor(options: NetworkOptions) {
    this.#options = options
    this.#mirrors = new Mirrors(options)
  }

  /** Sets up the network in advance. A failure is reported and does not stop the agent. */
  async prepare(): Promise<void> {
    const { jobs, onError, dataDir } = this.#options
    try {
      if (jobs) await this.#opened()
      else if (this.#inUse === 0) await removeRouter(networkNames(dataDir))
    } catch (error) {
      if (jobs) onError(error)
    }
  }

  /** Returns an unused link. With an allow list, the link is limited to it before this resolves. */
  async take(
    use: LinkUse,
    { allow, registry, recorded, mirrors, service, owner }: AllowedTargets,
  ): Promise<Link> {
    if (use !== 'service' && !this.#options[use]) {
      throw new ExecutorRefused('network_off', `the operator has switched the network of ${use} off`)
    }
    const { maker, router, resolver } = await this.#opened()
    await router.refresh()
    const link = this.#pool.shift() ?? (await maker.make())
    this.#inUse += 1
    this.#refill()
    if (owner !== undefined) this.#shares.set(link.index, owner)
    resolver.assign(link.index, owner)
    try {
      if (registry) {
        const endpoints = await this.#registry()
        this.#pulls.add(link.index)
        await router.nft(registryRules([link.index], endpoints))
      }
      if (recorded) await this.#record(link, { router, resolver })
      if (mirrors) await this.#mirrors.open(link.index, router)
      const permission = service ? this.#permitService(link) : ''
      const listed = allow && this.#list(link, allow)
      const rules = permission + (listed ? listRules('add', listed) : '')
      await settleAll([rules && router.nft(rules), listed && resolver.enforceList(listed)])
      return link
    } catch (error) {
      this.release(link)
      throw error
    }
  }

  /** Registers the link of a sandbox of an earlier agent. Call before `prepare`. */
  adopt(link: Link, { allow, registry, recorded, mirrors, service, owner }: AllowedTargets): void {
    this.#inUse += 1
    if (owner !== undefined) this.#shares.set(link.index, owner)
    if (allow) this.#list(link, allow)
    if (registry) this.#pulls.add(link.index)
    if (service) this.#callers.add(link.index)
    if (recorded) this.#recorded.set(link.index, undefined)
    if (mirrors) this.#mirrors.adopt(link.index)
  }

  /**
   * Refusals of the link since the previous call, undefined if there are none or they are unknown; what it reached,
   * undefined unless that is recorded; and what it exchanged with the service, undefined if it may not or that is unknown.
   */
  async takeRecords({
    index,
  }: Link): Promise<{ refused?: Refusals; reached?: Reach; service?: ServiceTraffic }> {
    const service = (await this.#serviceTraffic(index).catch(this.#options.onError)) ?? undefined
    const resolver = this.#open?.resolver
    const taken = (await resolver?.takeRecords(index).catch(this.#options.onError)) ?? undefined
    const isComplete = taken !== undefined && this.#recorded.get(index) === resolver?.session
    const mirrors = await this.#mirrors.takeRecords(index)
    const reached = withMirrors({ entries: [], more: 0, ...taken?.reached, isComplete }, mirrors)
    return {
      ...(taken?.refused.entries.length && { refused: taken.refused }),
      ...(this.#recorded.has(index) && { reached }),
      ...(service && { service }),
    }
  }

  /** Also undefined for a link that leads to the service alone, because all of its traffic is with the service. */
  async #serviceTraffic(index: number): Promise<ServiceTraffic | undefined> {
    const router = this.#open?.router
    const isMeasured = this.#callers.has(index) && !isClosed(this.#lists.get(index)?.allow)
    return router && isMeasured ? readServiceTraffic(router.namespace, index) : undefined
  }

  /** Call when the sandbox is gone: the next router and resolver start without its link. */
  release(link: Link): void {
    this.#inUse -= 1
    this.#open?.maker.drop(link)
    const removals = this.#open?.removals
    if (this.#pulls.delete(link.index)) removals?.add(endPullRules(link.index))
    if (this.#callers.delete(link.index)) removals?.add(callerRules('delete', [link.index]))
    if (this.#recorded.delete(link.index)) removals?.add(recordRules('delete', [link.index]))
    this.#mirrors.release(link.index, removals)
    this.#shares.delete(link.index)
    const listed = this.#lists.get(link.index)
    this.#lists.delete(link.index)
    this.#open?.resolver.release(link.index)
    if (listed) removals?.add(listRules('delete', listed))
  }

  /** Permits the link to reach the service; returns the rules for it. */
  #permitService({ index }: Link): string {
    if (!this.#options.service) {
      throw new ExecutorRefused('service_unreachable', 'the service has no address that a sandbox can reach')
    }
    this.#callers.add(index)
    return callerRules('add', [index])
  }

  async #record(
    { index }: Link,
    { router, resolver }: Pick<OpenNetwork, 'router' | 'resolver'>,
  ): Promise<void> {
    this.#recorded.set(index, undefined)
    await settleAll([router.nft(recordRules('add', [index])), resolver.record(index)])
    this.#recorded.set(index, resolver.session)
  }

  #list({ index }: Link, allow: AllowList): ListedLink {
    const listed = { index, mark: this.#nextMark, allow }
    this.#nextMark = this.#nextMark < marks.last ? this.#nextMark + 1 : marks.first
    this.#lists.set(index, listed)
    return listed
  }

  /** Removes the router unless sandboxes still use it. */
  async stop(): Promise<void> {
    const open = await this.#opening?.catch(() => undefined)
    open?.removals.stop()
    await Promise.all([open?.maker.stop(), open?.resolver.stop(), this.#mirrors.stop()])
    if (this.#inUse === 0) await removeRouter(networkNames(this.#options.dataDir))
  }

  #opened(): Promise<OpenNetwork> {
    if (this.#open?.maker.isGone) this.#forget()
    this.#opening ??= this.#openAnew().catch((error: unknown) => {
      this.#forget()
      throw error
    })
    return this.#opening
  }

  #forget(): void {
    void this.#open?.resolver.stop()
    this.#open?.removals.stop()
    this.#opening = undefined
    this.#open = undefined
    this.#pool.length = 0
  }

  async #openAnew(): Promise<OpenNetwork> {
    const { dataDir, service, onError } = this.#options
    const router = await Router.open(networkNames(dataDir), { lists: this.#lists, service })
    if (this.#pulls.size > 0) await router.nft(registryRules([...this.#pulls], await this.#registry()))
    if (this.#callers.size > 0) await router.nft(callerRules('add', [...this.#callers]))
    if (this.#recorded.size > 0) await router.nft(recordRules('add', [...this.#recorded.keys()]))
    await this.#mirrors.restore(router)
    const maker = new LinkMaker(this.#options.linksProgram, router)
    // The first answer of the maker proves that it has entered the router's namespace.
    this.#pool.push(await maker.make())
    const resolver = new Resolver(this.#options.resolverProgram, router, {
      lists: this.#lists,
      shares: this.#shares,
      recorded: this.#recorded,
      onError,
    })
    this.#open = { router, maker, resolver, removals: new RuleRemovals(router, onError) }
    this.#refill()
    return this.#open
  }

  /** Current addresses of the operator's registry. */
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

/** The reach of a link with its mirrors, each as one target. */
const withMirrors = (reached: Reach, mirrors: MirrorRecords | undefined): Reach =>
  mirrors
    ? { ...reached, mirrors: mirrors.uses, isComplete: reached.isComplete && mirrors.isComplete }
    : reached
