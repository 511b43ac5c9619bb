import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Draw } from '../../server/base/draw.ts'
import { startService } from '../main-job/service.ts'
import { logIn } from '../main-job/tenant.ts'
import { check } from './checker.ts'
import { publishJob } from './job.ts'
import { Killer } from './killer.ts'
import { Ledger } from './ledger.ts'
import { Load } from './load.ts'
import { Recovery } from './recovery.ts'
import { jsonTally, type Tally, tellTally } from './report.ts'

/*
 * The whole service on a data folder of its own, under load, while its processes are killed with -9: at points that
 * matter (a submission, a cancel, a job's first act or its last) and at any other time. After each round everything is
 * let come to rest, and the checker holds the invariants. A seed repeats what is drawn, not how the machine took turns.
 */
const usage = 'npm run crash -- [--kills N] [--seed S]'
const killsPerRound = 25

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
})
const wanted = wholeNumber(values.kills)
const seed = wholeNumber(values.seed)

function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  console.error(`usage: ${usage}`)
  process.exit(2)
}

const ledger = await Ledger.open()
const service = await startService()
try {
  const tally = await killAndCheck()
  console.log(tellTally(tally))
  if (tally.faults.length > 0) await keepLogs()
  console.log(jsonTally(tally))
  process.exitCode = tally.faults.length === 0 && tally.kills.length === wanted ? 0 : 1
} finally {
  await service.stop()
  await ledger.close()
}

async function keepLogs(): Promise<void> {
  const kept = join(tmpdir(), `crash-logs-${seed}`)
  await cp(join(service.dataDir, 'logs'), kept, { recursive: true, force: true })
  console.log(`the service's logs: ${kept}`)
}

async function killAndCheck(): Promise<Tally> {
  const draw = new Draw(seed)
  const tenant = await logIn(service)
  const version = await publishJob(tenant)
  const load = new Load(tenant, version, draw)
  const killer = new Killer(service, ledger, load, draw)
  const recovery = new Recovery(tenant, ledger, load)
  const tally: Tally = {
    seed,
    kills: killer.kills,
    runs: 0,
    ends: new Map(),
    cleanMs: [],
    faults: [],
    recovery,
  }
  while (killer.kills.length < wanted) {
    const [kills, intents] = [killer.kills.length, load.intents.length]
    load.start()
    for (let count = 0; count < killsPerRound && killer.kills.length < wanted; count += 1) {
      recovery.watch(await killer.killOne())
    }
    await load.drain()
    await recovery.settle()
    const verdict = await check({
      service,
      tenant,
      version,
      ledger,
      intents: load.intents.slice(intents),
      everyIntent: load.intents,
      kills: killer.kills.slice(kills),
    })
    tally.faults.push(...verdict.faults, ...load.faults.splice(0), ...recovery.faults.splice(0))
    tally.cleanMs.push(verdict.cleanMs)
    for (const [end, count] of verdict.ends) tally.ends.set(end, (tally.ends.get(end) ?? 0) + count)
    tally.runs = load.intents.length
    console.error(`${killer.kills.length} kills, ${tally.runs} runs, ${tally.faults.length} faults`)
  }
  return tally
}
