import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '../../server/base/seeded-random.ts'
import type { OwnService } from '../main-job/service.ts'
import { logIn, type Tenant } from '../main-job/tenant.ts'
import { check } from './checks/checker.ts'
import { applyPrices } from './checks/money.ts'
import { Recovery } from './checks/recovery.ts'
import type { Disruption } from './faults/disruptions.ts'
import { Killer } from './faults/killer.ts'
import { type PublishedJob, publishJob } from './load/job.ts'
import type { Ledger } from './load/ledger.ts'
import { type Intent, Load } from './load/load.ts'
import type { Receivers } from './load/receivers.ts'
import type { Tally } from './report.ts'

/** Time under load before and after a disruption. */
const settleMs = 1000

interface Parts {
  service: OwnService
  tenant: Tenant
  job: PublishedJob
  ledger: Ledger
  load: Load
  killer: Killer
  recovery: Recovery
  receivers: Receivers | undefined
}

interface Round {
  name: string
  /** Number of cases that it counts for if the ledger saw all of it. */
  cases: number
  /** The `error_code` that it may cost a run. */
  allowedErrorCode?: string | undefined
}

/** One service under load. Each round injects a fault, waits until all work has ended, and checks the invariants. */
export class Trial {
  readonly tally: Tally & Required<Pick<Tally, 'kills' | 'ends' | 'cleanMs' | 'recovery'>>
  readonly #parts: Parts

  private constructor(parts: Parts, seed: number) {
    this.#parts = parts
    const { killer, recovery } = parts
    const counted = { cases: 0, runs: 0, ends: new Map(), cleanMs: [], faults: [] }
    this.tally = { seed, kills: killer.kills, recovery, ...counted }
  }

  static async create(
    service: OwnService,
    ledger: Ledger,
    { seed, receivers }: { seed: number; receivers: Receivers | undefined },
  ): Promise<Trial> {
    const draw = new SeededRandom(seed)
    const tenant = await logIn(service)
    await applyPrices(service)
    await receivers?.subscribe(service, tenant)
    const job = await publishJob(tenant)
    const load = new Load(tenant, job, draw)
    await load.createSessions()
    await load.openConversation()
    const killer = new Killer(service, ledger, load, draw)
    const recovery = new Recovery(tenant, ledger, load)
    return new Trial({ service, tenant, job, ledger, load, killer, recovery, receivers }, seed)
  }

  /** Kills `count` processes, one after another. */
  async kill(count: number): Promise<void> {
    const { killer, recovery } = this.#parts
    await this.#round({ name: `${count} kills`, cases: count }, async () => {
      for (let left = count; left > 0; left -= 1) recovery.watch(await killer.killOne())
    })
  }

  /** Brings on each disruption in its turn. */
  async disrupt(disruptions: readonly Disruption[]): Promise<void> {
    for (const disruption of disruptions) while (!(await this.#disruptOnce(disruption))) await sleep(settleMs)
  }

  #disruptOnce({
    name,
    durationMs: lastsMs,
    allowedErrorCode: costs,
    start: begin,
  }: Disruption): Promise<boolean> {
    return this.#round({ name, cases: 1, allowedErrorCode: costs }, async () => {
      await sleep(settleMs)
      const end = await begin(this.#parts.service)
      await sleep(lastsMs)
      await end()
      await sleep(settleMs)
    })
  }

  /** False if the round was not counted. */
  async #round({ name, cases, allowedErrorCode: costs }: Round, harm: () => Promise<void>): Promise<boolean> {
    const { load, recovery, killer, service, tenant, job, ledger, receivers } = this.#parts
    const { tally } = this
    const [kills, intents] = [killer.kills.length, load.intents.length]
    const missedBefore = ledger.missed
    load.start()
    await harm()
    await load.drain()
    await recovery.settle()
    const verdict = await check({
      service,
      tenant,
      job,
      ledger,
      missedBefore,
      intents: load.intents.slice(intents),
      everyIntent: load.intents,
      sessions: load.sessions,
      kills: killer.kills.slice(kills),
      everyKill: killer.kills,
      allowedErrorCode: costs,
      received: receivers,
    })
    const faults = [...verdict.faults, ...load.faults.splice(0), ...recovery.faults.splice(0)]
    for (const fault of faults) console.error(`FAULT ${fault}`)
    tally.faults.push(...faults.map((fault) => `${name}: ${fault}`))
    if (verdict.isWitnessed) tally.cases += cases
    else console.error(`${name}: not counted, the ledger missed something`)
    tally.cleanMs.push(verdict.cleanMs)
    for (const [end, count] of verdict.ends) tally.ends.set(end, (tally.ends.get(end) ?? 0) + count)
    tally.runs = load.intents.length
    const by = (way: Intent['by']) => load.intents.filter((intent) => intent.by === way).length
    const inSession = load.intents.filter(({ session }) => session !== undefined).length
    console.error(
      `${name}: ${tally.runs} runs, ${by('row')} by rows, ${by('proposal')} by an agent, ${inSession} in sessions, ${tally.faults.length} faults`,
    )
    return verdict.isWitnessed
  }
}
