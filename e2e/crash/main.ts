import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type HostSetup, startService } from '../main-job/service.ts'
import { logIn } from '../main-job/tenant.ts'
import { submitDuplicates } from './duplicates.ts'
import { disruptions } from './faults/disruptions.ts'
import type { Kill } from './faults/killer.ts'
import { clockJumps, MovableClock } from './faults/movable-clock.ts'
import { smallDiskSetup } from './faults/small-disks.ts'
import { victimKinds } from './faults/victims.ts'
import { publishJob } from './load/job.ts'
import { Ledger } from './load/ledger.ts'
import { Receivers } from './load/receivers.ts'
import { formatTally, jsonTally, type Tally } from './report.ts'
import { Trial } from './trial.ts'

/*
 * A whole service on its own data folder, under load, with injected faults:
 *
 *   kills        its processes are killed with -9, at critical events (a submission, a cancel, the first or last action of a
 *                job) and at any other time
 *   disruptions     disks fill up, processes are stopped, connections are cut (disruptions.ts)
 *   clock        the time of day is set an hour ahead and back (movable-clock.ts)
 *   duplicates   the same submissions are sent many times at once, to several API processes
 *
 * After each round the checker waits until all work has ended and checks the invariants. A round with events that the ledger
 * missed is checked, but not counted. A seed repeats the random choices, not the scheduling of the machine.
 */
const usage =
  'npm run crash -- [--case kills|disruptions|clock|duplicates] [--kills N] [--keys N] [--copies N] [--seed S]'
const killsPerRound = 25
const instances = 3
/** This many kills hit every kind of process, with any seed. */
const killsOfEveryKind = 100

const { values } = parseArgs({
  options: {
    case: { type: 'string', default: 'kills' },
    kills: { type: 'string', default: '100' },
    keys: { type: 'string', default: '1000' },
    copies: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
})
const seed = wholeNumber(values.seed)
const cases: Record<string, () => Promise<Tally>> = {
  kills,
  disruptions: disrupt,
  clock: setClock,
  duplicates,
}

function wholeNumber(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : refuse()
}

function refuse(): never {
  console.error(`usage: ${usage}`)
  process.exit(2)
}

const tally = await (cases[values.case] ?? refuse)()
console.log(formatTally(tally))
console.log(jsonTally(values.case, tally))
process.exitCode = tally.faults.length === 0 ? 0 : 1

async function kills(): Promise<Tally> {
  const wanted = wholeNumber(values.kills)
  const receivers = await Receivers.start()
  return withTrial({ receivers }, async (trial) => {
    while (trial.tally.cases < wanted) await trial.kill(Math.min(killsPerRound, wanted - trial.tally.cases))
    if (wanted >= killsOfEveryKind) trial.tally.faults.push(...neverKilled(trial.tally.kills))
  })
}

/** A kind without a kill was not tested. */
function neverKilled(kills: Kill[]): string[] {
  return victimKinds
    .filter((kind) => kills.every((kill) => kill.kind !== kind))
    .map((kind) => `no ${kind} was killed`)
}

function disrupt(): Promise<Tally> {
  return withTrial({ ground: smallDiskSetup }, (trial) => trial.disrupt(disruptions))
}

async function setClock(): Promise<Tally> {
  const clock = await MovableClock.make()
  return withTrial({ ground: clock }, (trial) => trial.disrupt(clockJumps(clock)))
}

/** With receivers the notices of runs are checked too. */
async function withTrial(
  { ground, receivers }: { ground?: HostSetup; receivers?: Receivers },
  work: (trial: Trial) => Promise<void>,
): Promise<Tally> {
  const ledger = await Ledger.open()
  const service = await startService(receivers?.settings, ground)
  try {
    const trial = await Trial.create(service, ledger, { seed, receivers })
    await work(trial)
    if (trial.tally.faults.length > 0) await keepLogs(service.dataDir)
    return trial.tally
  } finally {
    await service.stop()
    await ledger.close()
    await receivers?.close()
  }
}

async function duplicates(): Promise<Tally> {
  const [keys, copies] = [wholeNumber(values.keys), wholeNumber(values.copies)]
  const service = await startService()
  try {
    const tenant = await logIn(service)
    const { version } = await publishJob(tenant)
    const faults = await submitDuplicates(service, tenant, { version, plan: { keys, copies, instances } })
    if (faults.length > 0) await keepLogs(service.dataDir)
    return { seed, cases: keys * copies, runs: keys, faults }
  } finally {
    await service.stop()
  }
}

async function keepLogs(dataDir: string): Promise<void> {
  const kept = join(tmpdir(), `crash-logs-${seed}`)
  await cp(join(dataDir, 'logs'), kept, { recursive: true, force: true })
  console.log(`the service's logs: ${kept}`)
}
