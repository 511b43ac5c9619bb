import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { newId } from '../server/base/ids.ts'
import { sha256Of } from '../server/base/sha256.ts'
import type { Database } from '../server/db/database.ts'
import { asQueued, insertRuns, type QueuedRun } from '../server/runs/submit/queued-run-store.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import {
  type MeasuredRate,
  type RateComparison,
  type RateResult,
  rateRowOf,
} from './harness/measure/rate-row.ts'
import { byTurns } from './harness/measure/rounds.ts'
import { type OwnDatabase, startDatabase } from './harness/service/own-database.ts'
import { type BenchTenant, makeTenants } from './harness/service/tenants.ts'

const connections = 32
const roundMs = 2000
const warmups = 1
const roundsMax = 7
/** Submissions, which notify, commit at this part of the rate of inserts, which do not. */
const reach = { atLeast: 0.5 }
/** The same of submissions where nobody is notified. */
const ownReach = { atLeast: 0.8 }

/** One commit of a connection. */
type Commit = (connection: number) => Promise<unknown>

interface Side extends MeasuredRate {
  commit: Commit
  /** Of the database's server. */
  pid: number
  results: RateResult[]
  cpuMs: number
}

/** Whether commits that notify workers share the disk's sync; docs in bench/README.md. */
export const commitNotify: Benchmark = {
  name: 'commit-notify',
  about: `submissions over ${connections} connections against plain inserts over as many`,
  run: async ({ rounds, say }) => {
    const counted = Math.min(rounds, roundsMax)
    const open: OwnDatabase[] = []
    const start = async () => {
      const database = await startDatabase(connections)
      open.push(database)
      const pepper = randomBytes(32)
      return {
        ...database,
        tenants: await makeTenants(database.db, { companies: connections, roomsEach: 1, pepper }),
      }
    }
    const sideOf = ({ pid }: OwnDatabase, commit: Commit): Side => ({ commit, pid, results: [], cpuMs: 0 })
    try {
      const [notified, silent] = [await start(), await start()]
      await makeInserts(notified.db)
      await silence(silent.db)
      const sides = [
        sideOf(notified, submissions(notified.db, notified.tenants)),
        sideOf(notified, inserts(notified.db)),
        sideOf(silent, submissions(silent.db, silent.tenants)),
      ] as const
      const machine = machineNote()
      const onRound = (round: number) => say(`commit-notify: round ${round + 1} of ${counted}`)
      await byTurns(sides, { rounds: counted, warmups, onRound }, measure)
      const [ours, plain, unnoticed] = sides
      const compared = (name: string, peer: RateComparison['peer']) =>
        rateRowOf({
          name,
          ours,
          peer,
          notes: [
            `${connections} connections with one commit each at a time, ${counted} rounds of ${roundMs / 1000} s each by turns, from one process; cpu is that of the database`,
            'a submission is the one statement that stores a run with its input, its event and its audit record, and has workers notified; each connection has a company of its own',
            machine(),
          ],
        })
      return [
        compared('commit-notify', { name: 'plain inserts', measured: plain, reach }),
        compared('commit-notify: alone', {
          name: 'the same, nobody notified',
          measured: unnoticed,
          reach: ownReach,
        }),
      ]
    } finally {
      for (const database of open) await database.stop()
    }
  },
}

async function measure(side: Side, isCounted: boolean): Promise<void> {
  const before = await treeCpuMs(side.pid)
  const result = await commitAtOnce(side.commit)
  if (!isCounted) return
  side.results.push(result)
  side.cpuMs += (await treeCpuMs(side.pid)) - before
}

async function commitAtOnce(commit: Commit): Promise<RateResult> {
  let answers = 0
  const startedAt = performance.now()
  const endAt = startedAt + roundMs
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      while (performance.now() < endAt) {
        await commit(connection)
        answers += 1
      }
    }),
  )
  return { answers, ratePerSecond: (answers * 1000) / (performance.now() - startedAt) }
}

const makeInserts = (db: Database) =>
  sql`create table bench_inserts (id bigint generated always as identity primary key, content text)`.execute(
    db,
  )

const inserts =
  (db: Database): Commit =>
  () =>
    sql`insert into bench_inserts (content) values (${'one'})`.execute(db)

/** Has transactions ask for no notifications. */
const silence = (db: Database) =>
  sql`create or replace function notify_after_commit(channel text, payload text) returns void language plpgsql
    as $$ begin end $$`.execute(db)

const submissions =
  (db: Database, tenants: readonly BenchTenant[]): Commit =>
  (connection) => {
    const tenant = tenants[connection]
    if (!tenant) throw new Error('a connection has no company')
    return insertRuns(db, [queuedRun(tenant)], { charges: [] })
  }

const input = Buffer.from('{}')

const queuedRun = ({ companyId, roomIds, member, ...tenant }: BenchTenant): QueuedRun => ({
  ...asQueued,
  id: newId('run'),
  company_id: companyId,
  chatroom_id: roomIds.join(),
  task_id: tenant.taskId,
  task_version_id: tenant.taskVersionId,
  environment_version_id: tenant.environmentVersionId,
  share_grant_id: tenant.shareGrantId,
  resource_profile: 'standard',
  principal_type: member.principalType,
  principal_id: member.principalId,
  auth_method: 'api_key',
  api_key_id: null,
  submission_source: 'rest',
  timeout_seconds: 60,
  input_digest: sha256Of(input),
  retry_of_run_id: '',
  queued_at: new Date(),
  input,
  audit: '',
})
