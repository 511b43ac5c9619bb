import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnService } from '../main-job/service.ts'
import { outputOf, runWhen, type Tenant } from '../main-job/tenant.ts'
import { faultsOfLife, readRuns, type StoredRun, withDatabase } from './history.ts'
import type { Kill } from './killer.ts'
import type { Ledger } from './ledger.ts'
import { leftovers } from './leftovers.ts'
import type { Intent } from './load.ts'

const cleanWithinMs = 45_000
const lookMs = 250
/** Outputs are fetched of one completed run in so many. */
const outputsEvery = 10

export interface Verdict {
  faults: string[]
  /** False when the ledger missed something: a job that is not in it may have begun or ended all the same. */
  isWitnessed: boolean
  /** How the runs of the round ended, by state and code. */
  ends: Map<string, number>
  /** Until nothing of the round was left on the host. */
  cleanMs: number
}

export interface Evidence {
  service: OwnService
  tenant: Tenant
  version: string
  ledger: Ledger
  /** What the ledger had missed when the round began. */
  missedBefore: number
  /** Since the last check. */
  intents: readonly Intent[]
  /** Of all rounds. */
  everyIntent: readonly Intent[]
  kills: readonly Kill[]
  /** The `error_code` that runs may have by what was done to the service. */
  costs?: string | undefined
}

/**
 * Holds the invariants once everything is quiet: each acknowledged run has one end (I1), started at most once (I2), one
 * run for one key (I3), only moves of the table (I5), nothing left behind (I6). Reads the API, the database and the
 * ledger, and asks the service for nothing else.
 */
export async function check(evidence: Evidence): Promise<Verdict> {
  const { service, intents, everyIntent, version, ledger, missedBefore } = evidence
  await ledger.settle()
  const isWitnessed = ledger.missed === missedBefore
  return withDatabase(service.dataDir, async (database) => {
    const runs = await readRuns(database, version)
    const faults = [...faultsOfNumber(runs, everyIntent)]
    const ends = new Map<string, number>()
    for (const intent of intents) {
      const run = runs.get([...intent.runs][0] ?? '')
      faults.push(...faultsOfIntent(intent, run, { ...evidence, isWitnessed }))
      const end = [run?.state, run?.error_code, run?.error_detail].filter(Boolean).join(' ')
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
    faults.push(...(await faultsOfAnswers(evidence, runs)))
    const begun = performance.now()
    let left = await leftovers(service, database)
    while (left.length > 0 && performance.now() - begun < cleanWithinMs) {
      await sleep(lookMs)
      left = await leftovers(service, database)
    }
    faults.push(...left.map((thing) => `left behind: ${thing}`))
    return { faults, isWitnessed, ends, cleanMs: performance.now() - begun }
  })
}

/** No run that nobody asked for. */
function* faultsOfNumber(runs: Map<string, StoredRun>, intents: readonly Intent[]): Generator<string> {
  const acknowledged = new Set(intents.flatMap((intent) => [...intent.runs]))
  for (const id of runs.keys()) if (!acknowledged.has(id)) yield `${id} is nobody's: its key has another run`
}

function* faultsOfIntent(
  intent: Intent,
  run: StoredRun | undefined,
  evidence: Evidence & Pick<Verdict, 'isWitnessed'>,
): Generator<string> {
  const { input, runs, cancelled } = intent
  if (runs.size !== 1) yield `key ${intent.key} has the runs ${[...runs].join(', ') || 'none'}`
  if (!run) return yield `key ${intent.key}: its run is not in the database`
  yield* faultsOfLife(run)
  const begun = evidence.ledger.begun.get(input.nonce) ?? 0
  const ended = evidence.ledger.ended.get(input.nonce) ?? 0
  const told = `${run.id} (${run.state} ${run.error_code} ${run.error_detail})`
  if (begun > 1) yield `${told} began ${begun} times`
  if (evidence.isWitnessed && ended > begun) yield `${told} ended more often than it began`
  const killed = evidence.kills.some((kill) => kill.runId === run.id)
  const finished = !evidence.isWitnessed || (begun === 1 && ended === 1)
  if (run.state === 'completed' && !(finished && input.exit_code === 0))
    yield `${told} is not what its job did`
  if (run.error_code === 'work_exit_nonzero' && !killed && !(finished && input.exit_code !== 0)) {
    yield `${told} is not what its job did`
  }
  if (run.state === 'cancelled' && !cancelled) yield `${told} was cancelled by nobody`
  if (run.state === 'platform_failed' && !killed && run.error_code !== evidence.costs) {
    yield `${told} was lost, and nothing of its own had been killed`
  }
}

/** The API tells what the database has, and gives back what jobs wrote. */
async function faultsOfAnswers(evidence: Evidence, runs: Map<string, StoredRun>): Promise<string[]> {
  const { tenant, intents } = evidence
  const faults: string[] = []
  let completed = 0
  for (const { runs: ids, input } of intents) {
    const [rid = ''] = ids
    const told = await runWhen(tenant, rid, () => true)
    const stored = runs.get(rid)
    if (told.status !== stored?.state)
      faults.push(`${rid} is told as ${told.status}, stored as ${stored?.state}`)
    if (told.status !== 'completed') continue
    completed += 1
    if (completed % outputsEvery !== 0) continue
    const { nonce } = JSON.parse(await outputOf(tenant, rid)) as { nonce?: string }
    if (nonce !== input.nonce) faults.push(`${rid} has the output of another job`)
  }
  return faults
}
