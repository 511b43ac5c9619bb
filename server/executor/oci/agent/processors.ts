import { writeFile } from 'node:fs/promises'
import { type CgroupPlan, readCounter } from '../cgroups.ts'
import { evenOut, leastLoaded, type Placed } from '../cpu-placement.ts'

const lookEveryMs = 250

interface Watched extends Placed {
  /** Its processors as the kernel keeps them. */
  cpusPath: string
  counter: CgroupPlan['counters'][number]
  usedMs: number
}

/**
 * Gives each sandbox no more processors than it may use, so that a program counts the right number of them, and evens
 * them out by what the sandboxes do: the kernel, which would, may not move a sandbox's programs to others any more.
 */
export class Processors {
  /** Of the machine. */
  readonly count: number
  readonly #watched = new Map<string, Watched>()
  #timer: NodeJS.Timeout | undefined
  #lookedAt = 0

  constructor(count: number) {
    this.count = count
  }

  /** Processors for a sandbox that is to be made; undefined when it may use all. */
  choose(vcpu: number): number[] | undefined {
    const count = Math.ceil(vcpu)
    return count < this.count ? leastLoaded([...this.#watched.values()], this.count, count) : undefined
  }

  /** Looks after a sandbox that has been planned. */
  watch(id: string, plan: CgroupPlan): void {
    const { cpusPath } = plan
    const cpus = plan.settings
      .find(({ path }) => path === cpusPath)
      ?.value.split(',')
      .map(Number)
    const counter = plan.counters.find(({ name }) => name === 'cpu_ms')
    if (cpusPath === undefined || cpus === undefined || counter === undefined) return
    // Until it is looked at, it counts as what it may do.
    this.#watched.set(id, { id, cpus, load: cpus.length, cpusPath, counter, usedMs: 0 })
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs).unref()
  }

  forget(id: string): void {
    this.#watched.delete(id)
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #look(): Promise<void> {
    const now = performance.now()
    const passedMs = now - this.#lookedAt
    this.#lookedAt = now
    if (this.#watched.size < 2) return
    for (const sandbox of this.#watched.values()) await measure(sandbox, passedMs)
    const move = evenOut([...this.#watched.values()], this.count)
    const moved = move && this.#watched.get(move.id)
    if (!moved) return
    moved.cpus = move.cpus
    // One that has ended meanwhile is gone.
    await writeFile(moved.cpusPath, move.cpus.join(), { flag: 'r+' }).catch(() => undefined)
  }
}

async function measure(sandbox: Watched, passedMs: number): Promise<void> {
  const usedMs = await readCounter(sandbox.counter)
  if (usedMs === undefined) return
  sandbox.load = Math.min(sandbox.cpus.length, Math.max(0, usedMs - sandbox.usedMs) / passedMs)
  sandbox.usedMs = usedMs
}
