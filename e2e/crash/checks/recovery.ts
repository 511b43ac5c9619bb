import { setTimeout as sleep } from 'node:timers/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Tenant } from '../../main-job/tenant.ts'
import type { Kill } from '../faults/killer.ts'
import type { VictimKind } from '../faults/victims.ts'
import { faultOf } from '../load/documented.ts'
import type { Ledger } from '../load/ledger.ts'
import type { Load } from '../load/load.ts'

const pollMs = 20
const timeoutMs = 60_000

/**
 * Recovery times after a kill, measured from outside: `answering`, a read succeeds after the death of API or database;
 * `starting`, a job starts that was submitted after the death of a service process; `settling`, the run whose process was
 * killed has its end. A recovery that a second death prolongs is not counted, but must succeed.
 */
export class Recovery {
  /** Milliseconds, by the kind of process that was killed. */
  readonly answering = new Map<VictimKind, number[]>()
  readonly starting = new Map<VictimKind, number[]>()
  readonly settling: number[] = []
  readonly faults: string[] = []
  readonly #tenant: Tenant
  readonly #load: Load
  readonly #open: Promise<void>[] = []
  /** The latest death of a service process and the first intent after it, until a new job has started. */
  #death: { kind: VictimKind; atMs: number; from: number } | undefined
  #latestDeathMs = 0
  /** The answer of the latest read, for the text of a fault. */
  #lastAnswer = 'none'

  constructor(tenant: Tenant, ledger: Ledger, load: Load) {
    this.#tenant = tenant
    this.#load = load
    ledger.on('started', (nonce) => this.#noteStart(load.numberOf(nonce)))
  }

  watch(kill: Kill): void {
    const { runId, kind, atMs } = kill
    if (runId) this.#open.push(this.#measure(this.settling, kill, () => this.#hasEnded(runId)))
    else {
      this.#latestDeathMs = atMs
      this.#death = { kind, atMs, from: this.#load.intents.length }
    }
    if (kind === 'api' || kind === 'postgres') {
      this.#open.push(this.#measure(timesOf(this.answering, kind), kill, () => this.#answers()))
    }
  }

  /** Resolves when the service has recovered from all kills so far. */
  async settle(): Promise<void> {
    await Promise.all(this.#open.splice(0))
    // The load may have ended before the last death: then no new job starts.
    this.#death = undefined
  }

  #noteStart(number: number): void {
    if (!this.#death || number < this.#death.from) return
    timesOf(this.starting, this.#death.kind).push(performance.now() - this.#death.atMs)
    this.#death = undefined
  }

  async #measure(into: number[], kill: Kill, isBack: () => Promise<boolean>): Promise<void> {
    // Right after the kill a request may still succeed.
    await sleep(pollMs)
    for (;;) {
      const askedAtMs = performance.now()
      if (await isBack()) break
      if (performance.now() - Math.max(kill.atMs, this.#latestDeathMs) > timeoutMs) {
        const what = `${kill.kind} (process ${kill.pid}, ${kill.runId ?? 'no run'})`
        const answer = `${this.#lastAnswer}, after ${Math.round(performance.now() - askedAtMs)} ms`
        this.faults.push(`no recovery within a minute after the death of ${what}: last answer ${answer}`)
        return
      }
      await sleep(pollMs)
    }
    if (this.#latestDeathMs <= kill.atMs) into.push(performance.now() - kill.atMs)
  }

  async #answers(): Promise<boolean> {
    return (await this.#try(() => this.#tenant.client.call(allRoutes.readMe))) !== undefined
  }

  async #hasEnded(rid: string): Promise<boolean> {
    const params = { cid: this.#tenant.room, rid }
    const run = await this.#try(() => this.#tenant.client.call(allRoutes.readRun, { params }))
    if (run) this.#lastAnswer = `${run.status} (${run.id})`
    return run !== undefined && run.terminal_at !== null
  }

  async #try<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call()
    } catch (error) {
      const fault = faultOf(allRoutes.readRun, error)
      if (fault) this.faults.push(fault)
      this.#lastAnswer = String(error)
      return undefined
    }
  }
}

function timesOf(by: Map<VictimKind, number[]>, kind: VictimKind): number[] {
  const times = by.get(kind) ?? []
  by.set(kind, times)
  return times
}
