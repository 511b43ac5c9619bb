import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { newId } from '../server/base/ids.ts'
import { sha256Of } from '../server/base/sha256.ts'
import type { Database } from '../server/db/database.ts'
import { asQueued, insertRuns, type QueuedRun } from '../server/runs/submit/queued-run-store.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { type RateResult, rateRowOf } from './harness/measure/rate-row.ts'
import { startDatabase } from './harness/service/own-database.ts'
import { type BenchTenant, makeTenants } from './harness/service/tenants.ts'

const connections = 32
const roundMs = 2000
const roundsMax = 7
/** Submissions that notify commit at this part of the rate of inserts that do not. */
const reach = { atLeast: 0.5 }

/** One commit of a connection. */
type Commit = (connection: number) => Promise<unknown>

/** Whether commits that notify workers share the disk's sync; docs in bench/README.md. */
export const commitNotify: Benchmark = {
  name: 'commit-notify',
  about: `submissions over ${connections} connections, each its own commit, against plain inserts over as many`,
  run: async ({ rounds, say }) => {
    const counted = Math.min(rounds, roundsMax)
    const database = await startDatabase(connections)
    const { db, pid } = database
    try {
      const tenants = await makeTenants(db, { companies: connections, roomsEach: 1, pepper: randomBytes(32) })
      await sql`create table bench_inserts (id bigint generated always as identity primary key, content text)`.execute(
        db,
      )
      const sides = [submissions(db, tenants), inserts(db)].map((commit) => ({
        commit,
        results: [] as RateResult[],
        cpuMs: 0,
      }))
      const machine = machineNote()
      for (let round = -1; round < counted; round += 1) {
        say(`commit-notify: round ${Math.max(round + 1, 0)} of ${counted}`)
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          const before = await treeCpuMs(pid)
          const result = await commitAtOnce(side.commit)
          if (round < 0) continue
          side.results.push(result)
          side.cpuMs += (await treeCpuMs(pid)) - before
        }
      }
      const [ours, plain] = sides
      if (!ours || !plain) throw new Error('two sides are compared')
      return [
        rateRowOf({
          name: 'commit-notify',
          ours,
          peer: { name: 'plain inserts', measured: plain, reach },
          notes: [
            `${connections} connections with one commit each at a time, ${counted} rounds of ${roundMs / 1000} s each by turns, from one process; cpu is that of the database`,
            'a submission is the one statement that stores a run with its input, its event and its audit record, and notifies workers; each connection has a company of its own',
            machine(),
          ],
        }),
      ]
    } finally {
      await database.stop()
    }
  },
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

const inserts =
  (db: Database): Commit =>
  () =>
    sql`insert into bench_inserts (content) values (${'one'})`.execute(db)

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
