import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../server/db/database.ts'
import { cancelRun } from '../server/runs/queue/cancel-run.ts'
import { insertQueuedRuns, settle } from './harness/load/queued-runs.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { rowOf } from './harness/measure/row.ts'
import { type OwnDatabase, startDatabase } from './harness/service/own-database.ts'
import { makeTenants } from './harness/service/tenants.ts'

const companies = 20
const roomsEach = 2
const warmups = 50
const roundsMax = 2000
/** An end of a run with its notice may cost this much of one without. */
const reach = { atMost: 1.15 }

/** Time that the notice adds to the end of a run; docs in bench/README.md. */
export const notice: Benchmark = {
  name: 'notice',
  about: 'the end of a run with the event that people are notified of, against the same without',
  run: async ({ rounds, say }) => {
    const counted = Math.min(rounds, roundsMax)
    say('notice: starting two databases')
    const open: OwnDatabase[] = []
    const withRuns = async () => {
      const database = await startDatabase(2)
      open.push(database)
      await queueRuns(database.db, counted + warmups)
      return database.db
    }
    try {
      const [noticed, silent] = [await withRuns(), await withRuns()]
      await sql`alter table state_events disable trigger record_run_end`.execute(silent)
      const machine = machineNote()
      const subjects = [await endsOf('with', noticed), await endsOf('without', silent)]
      const samples = await interleaved(subjects, { rounds: counted, warmups, restMs: 0 })
      const events = [await countEvents(noticed), await countEvents(silent)]
      if (events.join() !== `${counted + warmups},0`)
        throw new Error(`the outboxes have ${events.join()} events`)
      const measured = (name: string) => ({ samplesMs: samples.get(name) ?? [], cpuMs: null })
      return [
        rowOf({
          name: 'notice',
          ours: measured('with'),
          peer: { name: 'the same without', measured: measured('without'), reach, notes: [] },
          floor: {},
          notes: [machine()],
        }),
      ]
    } finally {
      for (const database of open) await database.stop()
    }
  },
}

async function queueRuns(db: Database, count: number): Promise<void> {
  const tenants = await makeTenants(db, { companies, roomsEach, pepper: randomBytes(32) })
  await insertQueuedRuns(db, tenants, count)
  await settle(db)
}

/** Ends one queued run after another. */
async function endsOf(name: string, db: Database): Promise<Subject> {
  const runs = await db.selectFrom('runs').select(['id', 'company_id']).orderBy('id').execute()
  return {
    name,
    once: async () => {
      const run = runs.pop()
      if (!run) throw new Error('no queued run is left')
      const startedAt = performance.now()
      await cancelRun(db, run)
      return performance.now() - startedAt
    },
  }
}

async function countEvents(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from event_outbox`.execute(db)
  return rows[0]?.count ?? 0
}
