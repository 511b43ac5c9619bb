import { statfsSync } from 'node:fs'
import { defaultFloorBytes, newWorkFloorBytes } from '../../server/base/disk-floor.ts'
import { ExecutorRefused } from '../port/errors.ts'
import { noCapacity } from '../port/refusal-causes.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'
import { MemoryBudget } from './memory-budget.ts'

export interface OccupancyOptions {
  slots: number
  /** Memory limit of all sandboxes together. */
  memoryBytes: number
  /** The folder whose disk the sandboxes write to. */
  folder: string
  /** Bytes of the disk that stay free; undefined: computed from its size. */
  diskFloorBytes: number | undefined
}

/** More than one sandbox writes before its program starts, plus its record. */
const freeBytesMin = 16 * 1024 * 1024

/** Parts of this machine that live sandboxes hold: slots, promised memory, disk. */
export class Occupancy {
  readonly #options: OccupancyOptions
  readonly #memory: MemoryBudget
  #live = 0

  constructor(options: OccupancyOptions) {
    this.#options = options
    this.#memory = new MemoryBudget(options.memoryBytes)
  }

  get live(): number {
    return this.#live
  }

  get freeSlots(): number {
    return this.#options.slots - this.#live
  }

  /** Refuses with `no_capacity` if the machine has no room for that sandbox; the caller waits. */
  require({ limits }: SandboxSpec): void {
    if (this.freeSlots <= 0) {
      throw new ExecutorRefused(noCapacity, `all ${this.#options.slots} sandboxes of this machine are in use`)
    }
    this.#memory.require(limits.memoryBytes)
    if (this.#isDiskNearlyFull(limits.workspaceKind))
      throw new ExecutorRefused(noCapacity, 'the disk that the sandboxes are kept on is full')
  }

  /** Takes a slot and memory until `release`. */
  hold({ limits }: SandboxSpec): void {
    this.#live += 1
    this.#memory.hold(limits.memoryBytes)
  }

  release({ limits }: SandboxSpec): void {
    this.#live -= 1
    this.#memory.release(limits.memoryBytes)
  }

  /** On a full disk a start would fail halfway. A workspace on the disk leaves as much free as new work needs. */
  #isDiskNearlyFull(workspace: SandboxSpec['limits']['workspaceKind']): boolean {
    const { folder, diskFloorBytes } = this.#options
    const { bavail, blocks, bsize } = statfsSync(folder)
    const diskBytes = blocks * bsize
    const floor =
      workspace === 'disk'
        ? newWorkFloorBytes(diskBytes, diskFloorBytes)
        : (diskFloorBytes ?? defaultFloorBytes(diskBytes))
    return bavail * bsize < Math.max(floor, freeBytesMin)
  }
}
