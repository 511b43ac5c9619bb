import { setTimeout as sleep } from 'node:timers/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Tenant } from '../main-job/tenant.ts'
import { faultOf } from './documented.ts'
import type { Kill } from './killer.ts'
import type { Ledger } from './ledger.ts'

const lookMs = 20
const longestMs = 60_000

/**
 * How long after each kill the service does again what it is for, as seen from outside:
 * `answering`, a read is answered after the death of API or database; `starting`, a job begins after the death of any
 * part that a start needs; `settling`, the run whose own process was killed has its end.
 */
export class Recovery {
  readonly answeringMs: number[] = []
  readonly startingMs: number[] = []
  readonly settlingMs: number[] = []
  readonly faults: string[] = []
  readonly #tenant: Tenant
  readonly #ledger: Ledger
  readonly #open: Promise<void>[] = []

  constructor(tenant: Tenant, ledger: Ledger) {
    this.#tenant = tenant
    this.#ledger = ledger
  }

  watch(kill: Kill): void {
    if (kill.runId)
      this.#open.push(this.#measure(this.settlingMs, kill, () => this.#hasEnded(kill.runId ?? '')))
    if (kill.kind === 'api' || kill.kind === 'postgres') {
      this.#open.push(this.#measure(this.answeringMs, kill, () => this.#answers()))
    }
    if (!kill.runId) this.#watchStart(kill)
  }

  /** Resolves when everything that was killed so far is back. */
  async settle(): Promise<void> {
    await Promise.all(this.#open.splice(0))
  }

  /** A start that comes after the load has ended proves nothing, and none is waited for. */
  #watchStart(kill: Kill): void {
    this.#ledger.once('begun', () => this.startingMs.push(performance.now() - kill.atMs))
  }

  async #measure(into: number[], kill: Kill, isBack: () => Promise<boolean>): Promise<void> {
    // The very moment of a death may still answer.
    await sleep(lookMs)
    while (!(await isBack())) {
      if (performance.now() - kill.atMs > longestMs) {
        this.faults.push(`not back a minute after the death of ${kill.kind}`)
        return
      }
      await sleep(lookMs)
    }
    into.push(performance.now() - kill.atMs)
  }

  async #answers(): Promise<boolean> {
    return (await this.#try(() => this.#tenant.client.call(allRoutes.readMe))) !== undefined
  }

  async #hasEnded(rid: string): Promise<boolean> {
    const params = { cid: this.#tenant.room, rid }
    const run = await this.#try(() => this.#tenant.client.call(allRoutes.readRun, { params }))
    return run !== undefined && run.terminal_at !== null
  }

  async #try<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call()
    } catch (error) {
      const fault = faultOf(allRoutes.readRun, error)
      if (fault) this.faults.push(fault)
      return undefined
    }
  }
}
