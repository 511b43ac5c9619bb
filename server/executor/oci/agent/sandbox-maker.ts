import { join } from 'node:path'
import { newId } from '../../../base/ids.ts'
import { ExecutorRefused, noCapacity, type SandboxSpec } from '../../port.ts'
import { IdRanges } from '../id-ranges.ts'
import type { Leftovers } from './leftovers.ts'
import { type MadeSandbox, type MakeOptions, makeSandbox } from './made-sandbox.ts'
import type { Special } from './sandbox-plan.ts'
import type { Ticket } from './ticket.ts'

/** Names of sandboxes that are made before they are asked for. */
export const warmPrefix = 'warm_'

/** What a sandbox has of the machine while anything of it lives. */
type Held = Pick<Ticket, 'name' | 'idBase' | 'link'>

/** Makes sandboxes and clears away those that never got their word; hands out ranges of ids. */
export class SandboxMaker {
  readonly #options: MakeOptions
  readonly #leftovers: Leftovers
  readonly #ranges = new IdRanges()

  constructor(options: MakeOptions, leftovers: Leftovers) {
    this.#options = options
    this.#leftovers = leftovers
  }

  /** An id range that nobody has. Refuses when all are taken. */
  takeRange(): number {
    const idBase = this.#ranges.take()
    if (idBase === undefined) throw new ExecutorRefused(noCapacity, 'no id range is free')
    return idBase
  }

  /** For whoever asked for it. The caller clears away what is left when it fails. */
  make(ticket: Ticket, special: Special | undefined): Promise<MadeSandbox> {
    return makeSandbox(this.#options, { ...ticket, special })
  }

  /** Before it is asked for. */
  async makeWarm(spec: SandboxSpec): Promise<MadeSandbox> {
    const name = newId('ownedObject').replace('obj_', warmPrefix)
    const idBase = this.takeRange()
    try {
      return await makeSandbox(this.#options, { name, spec, idBase, early: true })
    } catch (error) {
      await this.clearAway({ name, idBase, folder: join(this.#options.paths.sandboxes, name) })
      throw error
    }
  }

  /** Marks what a living sandbox of an earlier agent has. */
  adopt({ idBase, link, spec }: Ticket): void {
    this.#ranges.adopt(idBase)
    if (link && spec.network !== 'none')
      this.#options.network.adopt(link, { ...spec.network, owner: spec.owner })
  }

  /** Nothing of the sandbox lives: others may have its ids, and nobody has its link. */
  letGo({ name, idBase, link }: Held): void {
    this.#ranges.free(idBase)
    this.#options.processors.forget(name)
    if (link) this.#options.network.release(link)
  }

  /** Ends a sandbox that never got its word, and removes all of it. */
  async clearAway(
    made: Pick<MadeSandbox, 'name' | 'folder' | 'idBase'> & Partial<MadeSandbox>,
  ): Promise<void> {
    made.input?.end()
    await made.ticketRoom?.file.close().catch(() => undefined)
    await made.keeper?.gone
    await this.#leftovers.clear(made)
    this.letGo(made)
  }
}
