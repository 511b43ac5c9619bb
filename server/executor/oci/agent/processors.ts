import { writeFile } from 'node:fs/promises'
import { type CgroupPlan, readCounter } from '../cgroups.ts'
import { evenOut, leastLoaded, type Placed } from '../cpu-placement.ts'
import { type Computing, CpuWeights } from '../cpu-weight.ts'

const lookEveryMs = 250
/** Less than this the kernel does not take, by either version of control groups. */
const leastWeight = 2

interface Watched extends Placed, Computing {
  /** Its processors as the kernel keeps them; undefined where it has all of them. */
  cpusPath: string | undefined
  weight: CgroupPlan['weight']
  /** By which its weight was divided last. */
  divisor: number
  /** Of `usedMs`, since the look before. */
  lastUsedMs: number
  counter: CgroupPlan['counters'][number]
}

/**
 * Gives each sandbox no more processors than it may use, so that a program counts the right number of them, and evens
 * them out by what the sandboxes do: the kernel, which would, may not move a sandbox's programs to others any more. Gives
 * each owner the same weight, and yields what has used much processor time to what has not.
 */
export class Processors {
  /** Of the machine. */
  readonly count: number
  readonly #watched = new Map<string, Watched>()
  readonly #weights = new CpuWeights()
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

  /** Looks after a sandbox that has been planned; answers the plan with the weight that it starts with. */
  watch(id: string, plan: CgroupPlan, owner: number | undefined): CgroupPlan {
    const { cpusPath, weight } = plan
    const setting = plan.settings.find(({ path }) => path === cpusPath)
    const cpus = setting ? setting.value.split(',').map(Number) : [...Array(this.count).keys()]
    const counter = plan.counters.find(({ name }) => name === 'cpu_ms')
    if (counter === undefined) return plan
    const divisor = this.#weights.divisorOf({ owner, load: 0, usedMs: 0 })
    // Until it is looked at, it counts as what it may do.
    const isNew = { load: cpus.length, usedMs: 0, lastUsedMs: 0, divisor }
    this.#watched.set(id, { id, cpus, cpusPath, weight, counter, owner, ...isNew })
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs).unref()
    const settings = plan.settings.map((setting) =>
      setting.path === weight.path ? { ...setting, value: divided(weight.value, divisor) } : setting,
    )
    return { ...plan, settings }
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
    const watched = [...this.#watched.values()]
    for (const sandbox of watched) await measure(sandbox, passedMs)
    this.#weights.look(watched, passedMs)
    for (const sandbox of watched) await weigh(sandbox, this.#weights.divisorOf(sandbox))
    const move = evenOut([...this.#watched.values()], this.count)
    const moved = move && this.#watched.get(move.id)
    if (!move || !moved?.cpusPath) return
    moved.cpus = move.cpus
    await change(moved.cpusPath, move.cpus.join())
  }
}

/** A sandbox that has ended meanwhile has no such file any more. */
const change = (path: string, value: string) => writeFile(path, value, { flag: 'r+' }).catch(() => undefined)

async function weigh(sandbox: Watched, divisor: number): Promise<void> {
  if (divisor === sandbox.divisor) return
  sandbox.divisor = divisor
  const { path, value } = sandbox.weight
  await change(path, divided(value, divisor))
}

const divided = (weight: number, divisor: number): string =>
  String(Math.max(leastWeight, Math.round(weight / divisor)))

async function measure(sandbox: Watched, passedMs: number): Promise<void> {
  const usedMs = await readCounter(sandbox.counter)
  if (usedMs === undefined) return
  sandbox.lastUsedMs = Math.max(0, usedMs - sandbox.usedMs)
  sandbox.load = Math.min(sandbox.cpus.length, sandbox.lastUsedMs / passedMs)
  sandbox.usedMs = usedMs
}
