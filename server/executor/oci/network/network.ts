import { ExecutorRefused } from '../../port.ts'
import { networkNames } from './addresses.ts'
import { type Link, LinkMaker } from './link-maker.ts'
import { Resolver } from './resolver.ts'
import { Router, removeRouter } from './router.ts'

export interface NetworkOptions {
  dataDir: string
  /** The compiled native/links.c. */
  linksProgram: string
  /** The compiled native/resolver.c. */
  resolverProgram: string
  /** The operator's switch. */
  isEnabled: boolean
  onError: (error: unknown) => void
}

interface Open {
  router: Router
  maker: LinkMaker
  resolver: Resolver
}

/** Links that wait for a sandbox. */
const poolSize = 8

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

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  /** Makes everything ready before a start asks for it; a failure is told and does not hold the agent up. */
  async prepare(): Promise<void> {
    const { isEnabled, onError, dataDir } = this.#options
    try {
      if (isEnabled) await this.#opened()
      else if (this.#inUse === 0) await removeRouter(networkNames(dataDir))
    } catch (error) {
      if (isEnabled) onError(error)
    }
  }

  /** A link that no sandbox had before. */
  async take(): Promise<Link> {
    if (!this.#options.isEnabled) {
      throw new ExecutorRefused('network_off', 'the operator has switched the network of sandboxes off')
    }
    const { maker, router } = await this.#opened()
    await router.refresh()
    const link = this.#pool.shift() ?? (await maker.make())
    this.#inUse += 1
    this.#refill()
    return link
  }

  /** Counts a link that a sandbox of an earlier agent has. */
  adopt(): void {
    this.#inUse += 1
  }

  /** The sandbox is gone. */
  release(link: Link): void {
    this.#inUse -= 1
    this.#open?.maker.drop(link)
  }

  /** Leaves the router only to sandboxes that go on. */
  async stop(): Promise<void> {
    const open = await this.#opening?.catch(() => undefined)
    await Promise.all([open?.maker.stop(), open?.resolver.stop()])
    if (this.#options.isEnabled && this.#inUse === 0) await removeRouter(networkNames(this.#options.dataDir))
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
    const router = await Router.open(networkNames(this.#options.dataDir))
    const maker = new LinkMaker(this.#options.linksProgram, router)
    // The maker answers only when it has come into the router's namespace.
    this.#pool.push(await maker.make())
    this.#open = { router, maker, resolver: new Resolver(this.#options.resolverProgram, router) }
    this.#refill()
    return this.#open
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
