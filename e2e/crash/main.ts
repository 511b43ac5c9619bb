import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Ground, startService } from '../main-job/service.ts'
import { logIn } from '../main-job/tenant.ts'
import { submitDuplicates } from './duplicates.ts'
import { publishJob } from './job.ts'
import type { Kill } from './killer.ts'
import { Ledger } from './ledger.ts'
import { jumps, MovableClock } from './movable-clock.ts'
import { jsonTally, type Tally, tellTally } from './report.ts'
import { smallGround } from './small-disks.ts'
import { Trial } from './trial.ts'
import { troubles } from './troubles.ts'
import { victimKinds } from './victims.ts'

/*
 * The whole service on a data folder of its own, under load, while it meets with what a machine can do to it:
 *
 *   kills        its processes are killed with -9, at points that matter (a submission, a cancel, a job's first act or its
 *                last) and at any other time
 *   troubles     disks run full, parts stand still, connections are cut (troubles.ts)
 *   clock        the time of day is set an hour ahead and back (movable-clock.ts)
 *   duplicates   the same submissions come many times at once, to several API processes
 *
 * After each round everything is let come to rest, and the checker holds the invariants. A round of which the ledger missed
 * something is checked for the rest and not counted. A seed repeats what is drawn, not how the machine took turns.
 */
const usage =
  'npm run crash -- [--case kills|troubles|clock|duplicates] [--kills N] [--keys N] [--copies N] [--seed S]'
const killsPerRound = 25
const instances = 3
/** So many meet every kind of process, by any seed. */
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
  troubles: bringTroubles,
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
console.log(tellTally(tally))
console.log(jsonTally(values.case, tally))
process.exitCode = tally.faults.length === 0 ? 0 : 1

async function kills(): Promise<Tally> {
  const wanted = wholeNumber(values.kills)
  return withTrial(undefined, async (trial) => {
    while (trial.tally.cases < wanted) await trial.kill(Math.min(killsPerRound, wanted - trial.tally.cases))
    if (wanted >= killsOfEveryKind) trial.tally.faults.push(...neverKilled(trial.tally.kills))
  })
}

/** A kind that no draw could find would otherwise pass for one that survives. */
function neverKilled(kills: Kill[]): string[] {
  return victimKinds
    .filter((kind) => kills.every((kill) => kill.kind !== kind))
    .map((kind) => `no ${kind} was killed`)
}

function bringTroubles(): Promise<Tally> {
  return withTrial(smallGround, (trial) => trial.meet(troubles))
}

async function setClock(): Promise<Tally> {
  const clock = await MovableClock.make()
  return withTrial(clock, (trial) => trial.meet(jumps(clock)))
}

async function withTrial(ground: Ground | undefined, work: (trial: Trial) => Promise<void>): Promise<Tally> {
  const ledger = await Ledger.open()
  const service = await startService({}, ground)
  try {
    const trial = await Trial.begin(service, ledger, seed)
    await work(trial)
    if (trial.tally.faults.length > 0) await keepLogs(service.dataDir)
    return trial.tally
  } finally {
    await service.stop()
    await ledger.close()
  }
}

async function duplicates(): Promise<Tally> {
  const [keys, copies] = [wholeNumber(values.keys), wholeNumber(values.copies)]
  const service = await startService()
  try {
    const tenant = await logIn(service)
    const version = await publishJob(tenant)
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
