import { existsSync, lstatSync, readdirSync, rmSync, type Stats } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import type { SandboxExit } from '../../port.ts'
import { type CgroupLayout, cgroupsOf, planCgroups, readCounter } from '../cgroups.ts'
import { measureLog } from './bounded-log.ts'
import { type Remains, readExit, writeLostRecord } from './exit-record.ts'
import { killAndRemoveCgroups } from './settle.ts'
import type { Ticket } from './ticket.ts'

export interface LeftoversOptions {
  cgroups: CgroupLayout
  cgroupParent: string
  clock: Clock
}

/** A sandbox by its folder, and by what that and its control groups are called. */
interface Place {
  name: string
  folder: string
}

/** What sandboxes leave on the host once nothing of them lives: how it is read, and how it goes. */
export class Leftovers {
  readonly #options: LeftoversOptions

  constructor(options: LeftoversOptions) {
    this.#options = options
  }

  /** What the shim wrote; a shim that died without a word is spoken for. */
  async record(ticket: Ticket, folder: string): Promise<SandboxExit | undefined> {
    const exit = readExit(folder, ticket.spec)
    if (exit) return exit
    const remains = await this.#remains(ticket, folder)
    await this.#endGroups(ticket.name)
    await writeLostRecord(folder, remains)
    return readExit(folder, ticket.spec)
  }

  /**
   * What nobody needs once the shim is gone: the disk, and the control groups of a shim that was killed. Most is not
   * there: a look costs less than to try.
   */
  async sweep({ name, folder }: Place): Promise<void> {
    await this.#endGroups(name)
    const disk = join(folder, 'disk.img')
    if (existsSync(disk)) await rm(disk, { force: true })
  }

  /** Removes what is left of a sandbox. Nobody but the agent can write there, and removal does not follow links. */
  async clear(place: Place): Promise<void> {
    await this.sweep(place)
    await this.removeFolder(place.folder)
  }

  /**
   * A dozen files as a rule, most of them empty and gone sooner than another thread would be asked. The others go side by
   * side: a disk may take its time over what they held.
   */
  async removeFolder(folder: string): Promise<void> {
    if (!existsSync(folder)) return
    const full = readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => holdsSomething(lstatSync(path, { throwIfNoEntry: false })))
    await Promise.all(full.map((path) => rm(path, { force: true })))
    rmSync(folder, { recursive: true, force: true })
  }

  async #remains({ name, spec: { limits } }: Ticket, folder: string): Promise<Remains> {
    const { cgroups, cgroupParent, clock } = this.#options
    const { counters } = planCgroups(cgroups, cgroupParent, { name, limits })
    const counted = async (wanted: string) => {
      const counter = counters.find(({ name }) => name === wanted)
      return (counter && (await readCounter(counter))) ?? 0
    }
    return {
      now: clock.now(),
      peakMemoryBytes: await counted('peak_memory'),
      cpuMs: await counted('cpu_ms'),
      log: await measureLog(folder, limits.logBytes),
    }
  }

  async #endGroups(name: string): Promise<void> {
    const { cgroups, cgroupParent } = this.#options
    const plan = cgroupsOf(cgroups, cgroupParent, name)
    if (plan.folders.some((folder) => existsSync(folder))) await killAndRemoveCgroups(plan, name)
  }
}

/** What is gone by now was removed by another removal of the same. */
const holdsSomething = (found: Stats | undefined): boolean => found?.isFile() === true && found.size > 0
