import type { CgroupLayout } from '../host/cgroup-layout.ts'
import { type CgroupPlan, parentWeightFiles, readCounter } from '../host/cgroups.ts'
import { shimCgroups } from '../host/shim-cgroups.ts'
import { type CpuPlacement, evenOut, leastLoaded } from './cpu-placement.ts'
import { type CpuUse, CpuWeights } from './cpu-weight.ts'
import { change, weightText } from './group-files.ts'
import { ParentWeight } from './parent-weight.ts'
import { ShimGroups } from './shim-groups.ts'

const pollIntervalMs = 250

interface Watched extends CpuPlacement, CpuUse {
  /** File with its set of processors; undefined if it may use all of them. */
  cpusPath: string | undefined
  weight: CgroupPlan['weight']
  /** The divisor of its weight that was applied last. */
  divisor: number
  /** Increase of `usedMs` since the previous poll. */
  lastUsedMs: number
  counter: CgroupPlan['counters'][number]
}

/**
 * Pins each sandbox to as many processors as it may use, so that programs count the right number, and balances the load
 * between them, because the kernel cannot move pinned programs to other processors. Gives each owner the same weight, and
 * lowers the weight of sandboxes and owners that have used much processor time.
 */
export class Processors {
  /** Processors of the machine. */
  readonly count: number
  readonly #shimGroups: ShimGroups
  readonly #parentWeight: ParentWeight
  readonly #watched = new Map<string, Watched>()
  readonly #weights = new CpuWeights()
  #timer: NodeJS.Timeout | undefined
  #polledAt = 0

  /** `parent`: the control group that contains the groups of all sandboxes. */
  constructor(count: number, cgroups: CgroupLayout, parent: string) {
    this.count = count
    this.#shimGroups = new ShimGroups(shimCgroups(cgroups, parent))
    this.#parentWeight = new ParentWeight(cgroups.version, parentWeightFiles(cgroups, parent))
  }

  /** Folder of the control group for a shim that starts now. */
  shimGroup(owner: number | undefined): string {
    return this.#shimGroups.folderFor(owner)
  }

  /** Chooses the processors of a new sandbox; undefined if it may use all. */
  choose(vcpu: number): number[] | undefined {
    const count = Math.ceil(vcpu)
    return count < this.count ? leastLoaded([...this.#watched.values()], this.count, count) : undefined
  }

  /** Starts to manage a planned sandbox; returns the plan with its initial weight. */
  watch(id: string, plan: CgroupPlan, owner: number | undefined): CgroupPlan {
    const { cpusPath, weight } = plan
    const setting = plan.settings.find(({ path }) => path === cpusPath)
    const cpus = setting ? setting.value.split(',').map(Number) : [...Array(this.count).keys()]
    const counter = plan.counters.find(({ name }) => name === 'cpu_ms')
    if (counter === undefined) return plan
    const divisor = this.#weights.divisorOf({ owner, load: 0, usedMs: 0 })
    // Until the first poll it counts with its maximum load.
    const isNew = { load: cpus.length, usedMs: 0, lastUsedMs: 0, divisor }
    this.#watched.set(id, { id, cpus, cpusPath, weight, counter, owner, ...isNew })
    this.#timer ??= setInterval(() => void this.#poll(), pollIntervalMs).unref()
    this.#weighAll()
    const settings = plan.settings.map((setting) =>
      setting.path === weight.path ? { ...setting, value: weightText(weight.value / divisor) } : setting,
    )
    return { ...plan, settings }
  }

  forget(id: string): void {
    this.#watched.delete(id)
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #weighAll(): void {
    const owners = new Set([...this.#watched.values()].map(({ owner }) => owner))
    if (owners.size > 0) this.#parentWeight.set(this.#weights.shareOf(owners))
  }

  async #poll(): Promise<void> {
    const now = performance.now()
    const passedMs = now - this.#polledAt
    this.#polledAt = now
    const watched = [...this.#watched.values()]
    for (const sandbox of watched) await measure(sandbox, passedMs)
    this.#weights.update(watched, passedMs)
    for (const sandbox of watched) await applyWeight(sandbox, this.#weights.divisorOf(sandbox))
    await this.#shimGroups.update((owner) => this.#weights.divisorOfOwner(owner))
    this.#weighAll()
    const move = evenOut([...this.#watched.values()], this.count)
    const moved = move && this.#watched.get(move.id)
    if (!move || !moved?.cpusPath) return
    moved.cpus = move.cpus
    await change(moved.cpusPath, move.cpus.join())
  }
}

async function applyWeight(sandbox: Watched, divisor: number): Promise<void> {
  if (divisor === sandbox.divisor) return
  sandbox.divisor = divisor
  const { path, value } = sandbox.weight
  await change(path, weightText(value / divisor))
}

async function measure(sandbox: Watched, passedMs: number): Promise<void> {
  const usedMs = await readCounter(sandbox.counter)
  if (usedMs === undefined) return
  sandbox.lastUsedMs = Math.max(0, usedMs - sandbox.usedMs)
  sandbox.load = Math.min(sandbox.cpus.length, sandbox.lastUsedMs / passedMs)
  sandbox.usedMs = usedMs
}
