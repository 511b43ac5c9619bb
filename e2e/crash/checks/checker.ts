import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnService } from '../../main-job/service.ts'
import { outputOf, runWhen, type Tenant } from '../../main-job/tenant.ts'
import type { Kill } from '../faults/killer.ts'
import { lifecycleFaults, readRuns, type StoredRun, withDatabase } from '../load/history.ts'
import type { PublishedJob } from '../load/job.ts'
import type { Ledger } from '../load/ledger.ts'
import type { Intent } from '../load/load.ts'
import { findAuditFaults } from './audit.ts'
import { findMoneyFaults } from './money.ts'
import { findNoticeFaults, type Received } from './notices.ts'
import { findResidue } from './residue.ts'
import { findRowFaults } from './rows.ts'
import { findSessionFaults } from './sessions.ts'

const cleanWithinMs = 45_000
const pollMs = 250
/** The output of every tenth completed run is fetched. */
const outputsEvery = 10

export interface Verdict {
  faults: string[]
  /** False if the ledger missed events: a job that is not in it may have started or ended. */
  isWitnessed: boolean
  /** How the runs of the round ended, by state and code. */
  ends: Map<string, number>
  /** Time until no residue of the round was left on the host. */
  cleanMs: number
}

export interface Evidence {
  service: OwnService
  tenant: Tenant
  job: PublishedJob
  ledger: Ledger
  /** The ledger's count of missed events at the start of the round. */
  missedBefore: number
  /** Intents since the last check. */
  intents: readonly Intent[]
  /** Intents of all rounds. */
  everyIntent: readonly Intent[]
  /** The sessions that runs take. */
  sessions: readonly string[]
  kills: readonly Kill[]
  /** Kills of all rounds. */
  everyKill: readonly Kill[]
  /** Messages that the receivers of notices have; absent: notices are not checked. */
  received?: Received | undefined
  /** The `error_code` that runs may have because of the disruption. */
  allowedErrorCode?: string | undefined
}

/**
 * Checks the invariants after all work has ended: each acknowledged run has one end (I1) and started at most once (I2), each
 * key has one run (I3), no hold is left and costs add up (I4), all transitions are in the table (I5), no residue (I6),
 * each end is one notification, one event of the webhook and one e-mail (I7). A run of a row was started once by its
 * trigger, and wrote its own row once. A proposal that its person confirmed is one run. A session has what each run left that was kept, once. The audit log is intact and has each
 * change once. Reads the API, the database and the ledger.
 */
export async function check(evidence: Evidence): Promise<Verdict> {
  const { service, intents, everyIntent, job, ledger, missedBefore } = evidence
  await ledger.settle()
  const isWitnessed = ledger.missed === missedBefore
  return withDatabase(service.dataDir, async (database) => {
    const runs = await readRuns(database, [job.version, job.confirmed, job.byRow.version])
    const faults = [...faultsOfNumber(runs, everyIntent)]
    const ends = new Map<string, number>()
    for (const intent of intents) {
      const run = runs.get([...intent.runs][0] ?? '')
      faults.push(...faultsOfIntent(intent, run, { ...evidence, isWitnessed }))
      const end = [run?.state, run?.error_code, run?.error_detail].filter(Boolean).join(' ')
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
    faults.push(...(await faultsOfAnswers(evidence, runs)))
    faults.push(...(await findRowFaults(database, evidence, runs)))
    faults.push(...(await findMoneyFaults(database)))
    const runIds = intents.flatMap((intent) => [...intent.runs])
    if (evidence.received) faults.push(...(await findNoticeFaults(database, runIds, evidence.received)))
    faults.push(...(await findSessionFaults({ ...evidence, runs })))
    const ofRound = runIds.flatMap((id) => runs.get(id) ?? [])
    faults.push(...(await findAuditFaults(database, evidence.tenant, ofRound)))
    const startedAt = performance.now()
    let left = await findResidue(service, database)
    while (left.length > 0 && performance.now() - startedAt < cleanWithinMs) {
      await sleep(pollMs)
      left = await findResidue(service, database)
    }
    faults.push(...left.map((thing) => `residue: ${thing}`))
    return { faults, isWitnessed, ends, cleanMs: performance.now() - startedAt }
  })
}

/** Every run must belong to an intent. */
function* faultsOfNumber(runs: Map<string, StoredRun>, intents: readonly Intent[]): Generator<string> {
  const acknowledged = new Set(intents.flatMap((intent) => [...intent.runs]))
  for (const id of runs.keys())
    if (!acknowledged.has(id)) yield `${id} belongs to no intent: its key has another run`
}

function* faultsOfIntent(
  intent: Intent,
  run: StoredRun | undefined,
  evidence: Evidence & Pick<Verdict, 'isWitnessed'>,
): Generator<string> {
  const { input, runs, cancelled } = intent
  if (runs.size !== 1) yield `key ${intent.key} has the runs ${[...runs].join(', ') || 'none'}`
  if (!run) return yield `key ${intent.key}: its run is not in the database`
  yield* lifecycleFaults(run)
  const starts = evidence.ledger.started.get(input.nonce) ?? 0
  const ended = evidence.ledger.ended.get(input.nonce) ?? 0
  const label = `${run.id} (${run.state} ${run.error_code} ${run.error_detail})`
  if (starts > 1) yield `${label} started ${starts} times`
  if (evidence.isWitnessed && ended > starts) yield `${label} ended more often than it started`
  const killed = evidence.kills.some((kill) => kill.runId === run.id)
  const finished = !evidence.isWitnessed || (starts === 1 && ended === 1)
  if (run.state === 'completed' && !(finished && input.exit_code === 0))
    yield `${label} is not what its job did`
  if (run.error_code === 'work_exit_nonzero' && !killed && !(finished && input.exit_code !== 0)) {
    yield `${label} is not what its job did`
  }
  if (run.state === 'cancelled' && !cancelled) yield `${label} was cancelled by nobody`
  if (run.state === 'platform_failed' && !killed && run.error_code !== evidence.allowedErrorCode) {
    yield `${label} was lost, although none of its processes had been killed`
  }
}

/** The API must report the states in the database, and return the outputs of jobs. */
async function faultsOfAnswers(evidence: Evidence, runs: Map<string, StoredRun>): Promise<string[]> {
  const { tenant, intents } = evidence
  const faults: string[] = []
  let completed = 0
  for (const { runs: ids, input } of intents) {
    const [rid] = ids
    if (rid === undefined) continue
    const run = await runWhen(tenant, rid, () => true)
    const stored = runs.get(rid)
    if (run.status !== stored?.state)
      faults.push(`${rid} is reported as ${run.status}, stored as ${stored?.state}`)
    if (run.status !== 'completed') continue
    completed += 1
    if (completed % outputsEvery !== 0) continue
    const { nonce } = JSON.parse(await outputOf(tenant, rid)) as { nonce?: string }
    if (nonce !== input.nonce) faults.push(`${rid} has the output of another job`)
  }
  return faults
}
