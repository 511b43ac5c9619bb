import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ShimCgroups } from '../host/shim-cgroups.ts'
import { change, weightText } from './group-files.ts'

const defaultUnusedMs = 60_000
/** Name of the group for sandboxes without an owner: owners are numbers from 1. */
const noOwner = 0

interface ShimGroup {
  divisor: number
  /** When a shim was started in it last, by the monotonic clock. */
  usedAtMs: number
}

/**
 * The control groups in which shims run, one for each owner. A shim does what a sandbox costs outside of its own groups: it makes
 * and removes mounts and groups, passes the log and collects results. So an owner that starts one sandbox after another shares
 * the processors with the starts of others as one of them, however many of its sandboxes start and end.
 */
export class ShimGroups {
  readonly #cgroups: ShimCgroups
  readonly #unusedMs: number
  readonly #groups = new Map<number, ShimGroup>()

  /** `unusedMs`: a group without a new shim for this long is removed once its shims have ended. */
  constructor(cgroups: ShimCgroups, unusedMs = defaultUnusedMs) {
    this.#cgroups = cgroups
    this.#unusedMs = unusedMs
  }

  /** The folder of the owner's group, for a shim that starts now. */
  folderFor(owner: number = noOwner): string {
    const group = this.#groups.get(owner) ?? this.#make(owner)
    group.usedAtMs = performance.now()
    return this.#folderOf(owner)
  }

  /** Sets the weights, and removes groups that are not used any more. */
  async update(divisorOf: (owner: number) => number): Promise<void> {
    const { file, value } = this.#cgroups.weight
    for (const [owner, group] of this.#groups) {
      const divisor = owner === noOwner ? 1 : divisorOf(owner)
      if (divisor !== group.divisor)
        await change(join(this.#folderOf(owner), file), weightText(value / divisor))
      group.divisor = divisor
      if (performance.now() - group.usedAtMs > this.#unusedMs) this.#remove(owner, group)
    }
  }

  /** A group of an earlier agent is used again. */
  #make(owner: number): ShimGroup {
    const { file, value } = this.#cgroups.weight
    mkdirSync(this.#folderOf(owner), { recursive: true })
    writeFileSync(join(this.#folderOf(owner), file), String(value))
    const group = { divisor: 1, usedAtMs: 0 }
    this.#groups.set(owner, group)
    return group
  }

  #folderOf(owner: number): string {
    return join(this.#cgroups.folder, String(owner))
  }

  #remove(owner: number, group: ShimGroup): void {
    try {
      rmdirSync(this.#folderOf(owner))
      this.#groups.delete(owner)
    } catch {
      // It has a shim.
      group.usedAtMs = performance.now()
    }
  }
}
