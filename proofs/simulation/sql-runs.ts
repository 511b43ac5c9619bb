import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import { createLog } from '../../server/base/logging.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { insertCharge } from '../../server/billing/holds/charge-store.ts'
import type { Charge } from '../../server/billing/holds/hold.ts'
import { changedLiveRuns, liveRunsOfCompany } from '../../server/capacity/live-runs-statement.ts'
import { runCapacity } from '../../server/capacity/run-capacity.ts'
import { connect, type Database, type Trx } from '../../server/db/database.ts'
import { finishRun, type RunEnd } from '../../server/runs/drive/finish-run.ts'
import type { ClaimedRun, ClaimStatus, NextRun, TakenOverRun } from '../../server/runs/model/claimed-run.ts'
import { cancelRun } from '../../server/runs/queue/cancel-run.ts'
import { claimBatch } from '../../server/runs/queue/claim-batch-store.ts'
import {
  cancelRequestedAmong,
  claimNext,
  finishedAmong,
  takeOver,
} from '../../server/runs/queue/claim-store.ts'
import { markRunning, requeue } from '../../server/runs/queue/claimed-run-store.ts'
import { foldLiveRuns } from '../../server/runs/queue/live-run-store.ts'
import { type Driver, heartbeatSeconds } from '../../server/work/heartbeat-statement.ts'
import { startHeartbeat } from '../../server/work/heartbeat-store.ts'
import { makeExecutor } from '../../testing/factories/executors.ts'
import { makeRunnableTask, type RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import type { Rules } from './rules.ts'
import {
  type BatchBounds,
  bytesPerRun,
  finalizationSeconds,
  heldMicroOf,
  overBound,
  passedOver,
  perSecondMicro,
  type RunsEnvironment,
  type SimulatedCharge,
  type SimulatedRun,
  type SimulatedRuns,
  type Submitted,
} from './simulated-runs.ts'

/*
 * The table of runs in Postgres, with production's statements. Its clock is the world's: functions that return the
 * session's simulated time precede those of Postgres in the search path.
 */

const clockFunctions = ['now', 'clock_timestamp']
/** Claims read numbers of which some are folded and some are not. */
const statementsPerFold = 5
/** More than any world needs, so that only fairness decides. */
const capacity = runCapacity({ slots: 64 })
const epochMs = Date.UTC(2026, 0, 1)

export interface SqlFixture {
  db: Database
  companies: ReadonlyMap<string, RunnableTask & { roomId: string }>
}

/** Prepares a migrated database for any number of worlds, one after another. */
export async function openSqlFixture(url: string, companies: readonly string[]): Promise<SqlFixture> {
  const address = new URL(url)
  address.searchParams.set('options', '-c search_path=simulation,pg_catalog,public')
  const db = connect(address.href, {
    poolSize: 1,
    log: createLog('simulation', 'silent'),
    name: 'simulation',
  })
  await sql`create schema simulation`.execute(db)
  for (const name of clockFunctions) {
    await sql`
      create function simulation.${sql.id(name)}() returns timestamptz language sql stable
      as $$ select coalesce(nullif(current_setting('simulation.now', true), '')::timestamptz, pg_catalog.now()) $$
    `.execute(db)
  }
  const tasks = new Map<string, RunnableTask & { roomId: string }>()
  for (const name of companies) {
    const { companyId, roomId } = await makeTenant(db)
    tasks.set(name, { ...(await makeRunnableTask(db, companyId)), roomId })
  }
  return { db, companies: tasks }
}

/** Deletes the rows of the last world. */
export async function clearRuns({ db }: SqlFixture): Promise<void> {
  await sql`truncate runs, run_contents, run_artifacts, run_inputs, state_events, run_count_changes, live_run_counts, live_run_changes,
    queue_turns, charges, budget_changes, usage_changes, executors, workers cascade`.execute(db)
}

export class SqlRuns implements SimulatedRuns {
  readonly rows = new Map<string, SimulatedRun>()
  readonly charges = new Map<string, SimulatedCharge>()
  liveRuns = new Map<string, number>()
  committedMicro = 0
  readonly #fixture: SqlFixture
  readonly #rules: Rules
  readonly #environment: RunsEnvironment
  readonly #workers: string[] = []
  #statements = 0

  constructor(fixture: SqlFixture, rules: Rules, environment: RunsEnvironment) {
    this.#fixture = fixture
    this.#rules = rules
    this.#environment = environment
  }

  get countedBytes(): number {
    return [...this.rows.values()].filter(({ contentStored }) => contentStored).length * bytesPerRun
  }

  submit({ id, companyId, program, timeoutSeconds }: Submitted): Promise<void> {
    const task = this.#fixture.companies.get(companyId)
    if (!task) throw new Error(`no company ${companyId}`)
    const content = Buffer.from('null')
    const insert = async (trx: Trx) => {
      await trx
        .insertInto('runs')
        .values({
          id,
          company_id: task.companyId,
          chatroom_id: task.roomId,
          task_id: task.taskId,
          task_version_id: task.versionId,
          environment_version_id: task.environmentVersionId,
          share_grant_id: task.shareGrantId,
          resource_profile: 'standard',
          principal_type: 'user',
          principal_id: 'usr_simulated',
          auth_method: 'jwt',
          submission_source: 'rest',
          timeout_seconds: timeoutSeconds,
          input_digest: sha256Of(content),
        })
        .execute()
      await insertCharge(trx, chargeOf({ id, companyId: task.companyId, timeoutSeconds }))
    }
    return this.#execute(async (db) => {
      await db.transaction().execute(insert)
      this.rows.set(id, { ...newRow, id, companyId: task.companyId, program, timeoutSeconds })
    })
  }

  cancel(id: string): Promise<void> {
    return this.#execute(async (db) => {
      const row = this.rows.get(id)
      if (row && !isEnded(row.state)) row.cancelRequested = true
      if (row) await cancelRun(db, { id, company_id: row.companyId })
    })
  }

  drive(driver: Driver): Promise<void> {
    return this.#execute(async (db) => {
      await makeExecutor(db, driver.executor, driver)
      await startHeartbeat(db, driver)
      this.#workers.push(driver.worker)
    })
  }

  claimNext(driver: Driver): Promise<NextRun | undefined> {
    const before = [...this.rows.values()].map(({ companyId, state }) => ({ companyId, state }))
    return this.#execute(async (db) => {
      const run = await claimNext(db, { ...driver, companyConcurrency: 50, capacity })
      const other = run && passedOver(before, run.companyId)
      if (other) this.#environment.onFault(`${run.companyId} got a place more than ${other}, which waits`)
      return run
    })
  }

  claimBatch(driver: Driver, { most, company }: BatchBounds): Promise<NextRun[]> {
    const rows = [...this.rows.values()].map(({ id, companyId, state }) => ({ id, companyId, state }))
    return this.#execute(async (db) => {
      const runs = await claimBatch(db, { ...driver, companyConcurrency: company, capacity }, most)
      for (const run of runs) {
        const other = passedOver(rows, run.companyId)
        if (other) this.#environment.onFault(`${run.companyId} got a place more than ${other}, which waits`)
        for (const row of rows) if (row.id === run.id) row.state = run.state
      }
      const over = overBound(rows, company)
      if (over) this.#environment.onFault(`${over} has more than ${company} runs at work`)
      return runs
    })
  }

  takeOver(driver: Driver, owned: 'own' | 'expired', known: readonly string[]): Promise<TakenOverRun[]> {
    const heldBy = new Map([...this.rows].map(([id, row]) => [id, row.worker]))
    return this.#execute(async (db) => {
      const runs = await takeOver(db, driver, owned, known)
      for (const { id } of runs) {
        const holder = heldBy.get(id) ?? ''
        if (owned === 'expired' && this.#environment.isHolding(holder)) {
          this.#environment.onFault(`${id} was taken from ${holder}, which is at work on it`)
        }
      }
      return this.#rules.provesForOthers ? runs.map((run) => ({ ...run, claimedHere: true })) : runs
    })
  }

  cancelRequestedAmong(ids: readonly string[]): Promise<string[]> {
    return this.#execute((db) => cancelRequestedAmong(db, ids))
  }

  finishedAmong(sandboxIds: readonly string[]): Promise<string[]> {
    return this.#execute((db) => finishedAmong(db, sandboxIds))
  }

  markRunning(run: ClaimedRun): Promise<ClaimStatus> {
    return this.#execute((db) => markRunning(db, run))
  }

  requeue(run: ClaimedRun): Promise<ClaimStatus> {
    return this.#execute((db) => requeue(db, run))
  }

  finish(run: ClaimedRun, end: RunEnd, worker: string): Promise<boolean> {
    return this.#execute(async (db) => {
      const ended = await finishRun(db, run, end)
      const row = this.rows.get(run.id)
      if (!ended || !row) return ended
      if (row.worker !== worker)
        this.#environment.onFault(`${run.id} was ended by ${worker}, and ${row.worker} has it`)
      row.end = end
      return ended
    })
  }

  countKept(): void {
    throw new Error('kept bytes are counted by the model alone')
  }

  settle(): void {
    throw new Error('charges are settled late by the model alone')
  }

  /** Runs one statement of a worker or a tenant at the world's time, and then reads the rows again. */
  async #execute<T>(statement: (db: Database) => Promise<T>): Promise<T> {
    const { db } = this.#fixture
    const now = new Date(epochMs + this.#environment.now()).toISOString()
    await sql`select set_config('simulation.now', ${now}, false)`.execute(db)
    await this.#beat(db)
    const result = await statement(db)
    this.#statements += 1
    if (this.#statements % statementsPerFold === 0) await foldLiveRuns({ db })
    await this.#readRows(db)
    await this.#readLiveRuns(db)
    return result
  }

  /** Heartbeats and leases that workers have renewed since the last statement. */
  async #beat(db: Database): Promise<void> {
    for (const worker of this.#workers) {
      const at = new Date(epochMs + this.#environment.lastBeatMs(worker))
      const held = new Date(epochMs + this.#environment.heldSinceMs(worker))
      await sql`update workers set beat_at = ${at} where id = ${worker}`.execute(db)
      await sql`update executors set lease_until = ${at}::timestamptz + make_interval(secs => ${heartbeatSeconds}), held_since = ${held}
        where worker = ${worker}`.execute(db)
    }
  }

  async #readLiveRuns(db: Database): Promise<void> {
    const { rows } = await liveByCompany.execute(db)
    this.liveRuns = new Map(rows.map(({ companyId, counted }) => [companyId, counted]))
    for (const { companyId, counted, found } of rows)
      if (counted !== found)
        this.#environment.onFault(`${counted} live runs are counted of ${companyId}, which has ${found}`)
  }

  async #readRows(db: Database): Promise<void> {
    const { rows } = await sql<ReadRow>`
      select r.id, r.state, fence, worker, executor, sandbox_id as "sandboxId",
        coalesce(extract(epoch from r.claimed_at) * 1000 - ${epochMs}, 0)::bigint as "claimedMs", c.run_id is not null as "contentStored",
        charges.held_micro as "heldMicro", charges.cost_micro as "costMicro",
        (select coalesce(sum(micro), 0)::bigint from budget_changes) as "committedMicro"
      from runs r left join run_contents c on c.run_id = r.id join charges on charges.subject_id = r.id
    `.execute(db)
    for (const { heldMicro, costMicro, committedMicro, ...row } of rows) {
      Object.assign(this.rows.get(row.id) ?? {}, row)
      this.charges.set(row.id, { heldMicro, costMicro })
      this.committedMicro = committedMicro
    }
  }
}

const liveByCompany = sql<{ companyId: string; counted: number; found: number }>`
  with ${changedLiveRuns}
  select c.id as "companyId", ${liveRunsOfCompany(sql`c.id`)} as counted, (
    select count(*) from runs where company_id = c.id and state in ('starting', 'running', 'cancel_requested')
  ) as found
  from companies c`

/** A hold as a submission makes it. */
const chargeOf = (run: Pick<SimulatedRun, 'id' | 'companyId' | 'timeoutSeconds'>): Charge => ({
  subjectId: run.id,
  companyId: run.companyId,
  kind: 'run',
  listId: 1,
  region: 'onprem',
  month: '2026-01-01',
  perSecondMicro,
  ingressPerGibMicro: 0,
  egressPerGibMicro: 0,
  minimumBilledSeconds: 1,
  reservedSeconds: run.timeoutSeconds + finalizationSeconds,
  heldMicro: heldMicroOf(run),
  reservedReceivedBytes: null,
  reservedSentBytes: null,
})

type ReadRow = Pick<
  SimulatedRun,
  'id' | 'state' | 'fence' | 'worker' | 'executor' | 'sandboxId' | 'claimedMs' | 'contentStored'
> &
  SimulatedCharge & { committedMicro: number }

const isEnded = (state: RunState): boolean =>
  ['completed', 'customer_failed', 'platform_failed', 'cancelled'].includes(state)

const newRow = {
  state: 'queued' as const,
  fence: 0,
  worker: null,
  executor: null,
  sandboxId: null,
  leaseUntilMs: 0,
  claimedMs: 0,
  cancelRequested: false,
  end: undefined,
  contentStored: false,
}
