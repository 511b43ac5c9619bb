import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { defaultRegion } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { setBudget } from '../server/billing/budgets/budget-store.ts'
import { foldBudgets } from '../server/billing/budgets/company-budget.ts'
import { applyPrices } from '../server/billing/prices/apply-prices.ts'
import type { Database } from '../server/db/database.ts'
import { priceFile } from '../testing/factories/prices.ts'
import { endRun } from './harness/load/queued-runs.ts'
import { RunCalls } from './harness/load/run-calls.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { rowOf } from './harness/measure/row.ts'
import { type OwnApi, startApi } from './harness/service/own-api.ts'
import { type OwnDatabase, startDatabase } from './harness/service/own-database.ts'

const warmups = 50
const roundsMax = 2000
/** A submission with its hold may cost this much of one without. */
const reach = { atMost: 1.1 }
const priced = 'with prices and a budget'
const free = 'without'

const prices = JSON.stringify({
  ...priceFile,
  regions: { [defaultRegion.hosted]: priceFile.regions.onprem },
})
/** Millionths of a dollar, more than all holds of a benchmark. */
const budgetMicro = 1e12

/** Time that prices and a budget add to a submission; docs in bench/README.md. */
export const submitCost: Benchmark = {
  name: 'submit-cost',
  about: 'submitting a run that is priced and held against a budget, against the same without prices',
  run: async ({ rounds, say }) => {
    const counted = Math.min(rounds, roundsMax)
    say('submit-cost: starting two databases, each with an API')
    const open: (() => Promise<void>)[] = []
    const startSide = async (name: string): Promise<Side> => {
      const database = await startDatabase(2)
      open.push(() => database.stop())
      const api = await startApi(database, 1)
      open.push(() => api.stop())
      const side = sideOf(name, database, api)
      open.push(async () => side.calls.close())
      return side
    }
    try {
      const sides = [await startSide(priced), await startSide(free)] as const
      const [{ db, companyId }] = sides
      await applyPrices({ db, deployment: 'hosted' }, prices, { dryRun: false })
      await setBudget(db, companyId, { month: '2020-01', recurring: true, amountMicro: budgetMicro })
      const machine = machineNote()
      const cpuBefore = await Promise.all(sides.map(cpuOf))
      const samples = await interleaved(sides, { rounds: counted, warmups, restMs: 2 })
      const cpuAfter = await Promise.all(sides.map(cpuOf))
      await requireHolds(sides, counted + warmups)
      const measured = (at: 0 | 1) => ({
        samplesMs: samples.get(sides[at].name) ?? [],
        cpuMs: ((cpuAfter[at] ?? 0) - (cpuBefore[at] ?? 0)) / (counted + warmups),
      })
      return [
        rowOf({
          name: 'submit-cost',
          ours: measured(0),
          peer: { name: `the same ${free}`, measured: measured(1), reach, notes: [] },
          floor: {},
          notes: [
            'one connection to each API; cpu is that of API and database, and includes the end of the run',
            machine(),
          ],
        }),
      ]
    } finally {
      for (const close of open.reverse()) await close()
    }
  },
}

interface Side extends Subject {
  db: Database
  companyId: string
  calls: RunCalls
  pids: number[]
}

/** Submits a run. Outside of the measured time it ends it, as the queue of a company is bounded, and folds as the worker does. */
function sideOf(name: string, { db, pid }: OwnDatabase, api: OwnApi): Side {
  const [tenant] = api.tenants
  if (!tenant) throw new Error('no company')
  const { apiKey, companyId, taskVersionId, environmentVersionId, roomIds } = tenant
  const baseUrl = `http://127.0.0.1:${api.port}`
  const job = {
    client: createClient({ baseUrl, apiKey }),
    apiKey,
    chatroomId: roomIds.join(),
    environmentVersionId,
    taskVersionId,
  }
  const calls = new RunCalls(job, { baseUrl, connections: 1 })
  const fold = foldBudgets({ db })
  const once = async () => {
    const startedAt = performance.now()
    const { id } = await calls.submit()
    const tookMs = performance.now() - startedAt
    await endRun(db, id)
    await fold()
    return tookMs
  }
  return { name, once, db, companyId, calls, pids: [api.pid, pid] }
}

const cpuOf = async ({ pids }: Side): Promise<number> =>
  (await Promise.all(pids.map((pid) => treeCpuMs(pid)))).reduce((sum, ms) => sum + ms, 0)

/** Each submission of the one side has a hold, and none of the other. */
async function requireHolds([ours, peer]: readonly [Side, Side], submissions: number): Promise<void> {
  const count = async ({ db }: Side) => {
    const { held } = await db
      .selectFrom('charges')
      .select(({ fn }) => fn.countAll<number>().as('held'))
      .executeTakeFirstOrThrow()
    return Number(held)
  }
  const held = [await count(ours), await count(peer)]
  if (held.join() !== `${submissions},0`)
    throw new Error(`of ${submissions} submissions each, ${held.join(' and ')} have holds`)
}
