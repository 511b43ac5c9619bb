import { join } from 'node:path'
import { newId } from '../../../server/base/ids.ts'
import { IdRanges } from '../../host/id-ranges.ts'
import { ExecutorRefused } from '../../port/errors.ts'
import { noCapacity } from '../../port/refusal-causes.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import type { StartRecord } from '../records/start-record.ts'
import type { Residue } from '../residue.ts'
import { type MadeSandbox, type MakeOptions, makeSandbox } from './made-sandbox.ts'
import type { InternalSandbox } from './sandbox-plan.ts'

/** Prefix of the names of warm sandboxes. */
export const warmPrefix = 'warm_'

/** Resources of the host that a sandbox holds until all of its processes have ended. */
type HostResources = Pick<StartRecord, 'name' | 'idBase' | 'link'>

/** Makes sandboxes, destroys those that never got the start signal, and allocates id ranges. */
export class SandboxMaker {
  readonly #options: MakeOptions
  readonly #residue: Residue
  readonly #ranges = new IdRanges()

  constructor(options: MakeOptions, residue: Residue) {
    this.#options = options
    this.#residue = residue
  }

  /** Allocates a free id range. Refuses with `no_capacity` if there is none. */
  takeRange(): number {
    const idBase = this.#ranges.take()
    if (idBase === undefined) throw new ExecutorRefused(noCapacity, 'no id range is free')
    return idBase
  }

  /** Makes a sandbox for one start. If this fails, the caller destroys the residue. */
  make(startRecord: StartRecord, internal: InternalSandbox | undefined): Promise<MadeSandbox> {
    return makeSandbox(this.#options, { ...startRecord, internal, startRecord })
  }

  /** Makes a warm sandbox. */
  async makeWarm(spec: SandboxSpec): Promise<MadeSandbox> {
    const name = newId('ownedObject').replace('obj_', warmPrefix)
    const idBase = this.takeRange()
    try {
      return await makeSandbox(this.#options, { name, spec, idBase })
    } catch (error) {
      await this.destroy({ name, idBase, folder: join(this.#options.paths.sandboxes, name) })
      throw error
    }
  }

  /** Marks the resources of a live sandbox of an earlier agent as used. */
  adopt({ idBase, link, spec }: StartRecord): void {
    this.#ranges.adopt(idBase)
    if (link && spec.network !== 'none')
      this.#options.network.adopt(link, { ...spec.network, owner: spec.owner })
  }

  /** Releases the resources of a sandbox that has no live process. */
  release({ name, idBase, link }: HostResources): void {
    this.#ranges.free(idBase)
    this.#options.processors.forget(name)
    if (link) this.#options.network.release(link)
  }

  /** Ends a sandbox that never got the start signal, and removes all of it. */
  async destroy(made: Pick<MadeSandbox, 'name' | 'folder' | 'idBase'> & Partial<MadeSandbox>): Promise<void> {
    made.input?.end()
    await made.reservedRecord?.file.close().catch(() => undefined)
    await made.shim?.gone
    await this.#residue.clear(made)
    this.release(made)
  }
}
