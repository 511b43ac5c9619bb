import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { runCapacity } from '../server/capacity/run-capacity.ts'
import type { Database } from '../server/db/database.ts'
import type { NextRun } from '../server/runs/model/claimed-run.ts'
import { claimBatch } from '../server/runs/queue/claim-batch-store.ts'
import { claimNext } from '../server/runs/queue/claim-store.ts'
import { foldLiveRuns } from '../server/runs/queue/live-run-store.ts'
import { endRun, insertQueuedRuns, settle } from './harness/load/queued-runs.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { type Reach, rowOf } from './harness/measure/row.ts'
import { backendOf } from './harness/service/backend.ts'
import { type OwnDatabase, startDatabase } from './harness/service/own-database.ts'
import { makeTenants } from './harness/service/tenants.ts'

const companies = 200
const many = 20_000
const few = 100
/** Above what is claimed of the queue. */
const queued = 20_000
/** Processor time is counted in hundredths of a second, so claims are counted together. */
const claimsPerRound = 50
const batchSize = 32
const batchesPerRound = 6
const warmups = 2
const roundsMax = 40
const reach = { atMost: 1.5 }
const reachOfBatches = { atMost: 0.5 }
const options = {
  executor: 'bench',
  worker: 'bench',
  companyConcurrency: 1000,
  capacity: runCapacity({ slots: 2 * many }),
}

/** Processor time of a claim beside many live runs; docs in bench/README.md. */
export const claimLive: Benchmark = {
  name: 'claim-live',
  about: `processor time of a claim beside ${many} live runs, against the same beside ${few}, and in batches`,
  run: async ({ rounds, say }) => {
    const counted = Math.min(rounds, roundsMax)
    const open: OwnDatabase[] = []
    const withLive = async (live: number): Promise<Subject[]> => {
      say(`claim-live: ${live} live runs of ${companies} companies`)
      const database = await startDatabase(1)
      open.push(database)
      await fill(database.db, live)
      return [
        claimsBeside(database.db, String(live), single),
        claimsBeside(database.db, `${live}, in batches`, inBatches),
      ]
    }
    try {
      const subjects = [...(await withLive(many)), ...(await withLive(few))]
      const machine = machineNote()
      const samples = await interleaved(subjects, { rounds: counted, warmups, restMs: 0 })
      const measured = (name: string) => ({ samplesMs: samples.get(name) ?? [], cpuMs: null })
      const notes = [
        `processor milliseconds of the database's process for one claimed run, over ${claimsPerRound} claims or ${batchesPerRound} batches of ${batchSize} a round; ${many} live runs compared with ${few}, both of ${companies} companies with ${queued} queued runs`,
        machine(),
      ]
      const row = (name: string, ours: string, peer: string, bar: Reach) =>
        rowOf({
          name,
          ours: measured(ours),
          peer: { name: peer, measured: measured(peer), reach: bar, notes: [] },
          floor: {},
          notes,
        })
      return [
        row('claim-live', `${many}`, `${few}`, reach),
        row('claim-live: in batches', `${many}, in batches`, `${few}, in batches`, reach),
        row('claim-live: a batch', `${many}, in batches`, `${many}`, reachOfBatches),
      ]
    } finally {
      for (const database of open) await database.stop()
    }
  },
}

async function fill(db: Database, live: number): Promise<void> {
  const tenants = await makeTenants(db, { companies, roomsEach: 2, pepper: randomBytes(32) })
  await insertQueuedRuns(db, tenants, queued + live)
  await sql`
    update runs set state = 'running', worker = 'bench', executor = 'bench', sandbox_id = id || '_1', fence = 1,
      claimed_at = now(), started_at = now(), lease_until = now() + interval '1 day'
    where id in (select id from runs order by id limit ${live})`.execute(db)
  await settle(db)
}

interface Claims {
  perRound: number
  claim: (db: Database) => Promise<NextRun[]>
}

const single: Claims = {
  perRound: claimsPerRound,
  claim: async (db) => {
    const run = await claimNext(db, options)
    return run ? [run] : []
  },
}
const inBatches: Claims = {
  perRound: batchesPerRound,
  claim: (db) => claimBatch(db, options, batchSize),
}

/** Claims runs and ends them at once; counts what the claims take. */
const claimsBeside = (db: Database, name: string, { perRound, claim }: Claims): Subject => ({
  name,
  once: async () => {
    const claimed: NextRun[] = []
    const backend = await backendOf(db)
    const before = await treeCpuMs(backend)
    for (let claims = 0; claims < perRound; claims += 1) {
      const runs = await claim(db)
      if (runs.length === 0) throw new Error('nothing to claim')
      claimed.push(...runs)
    }
    const tookMs = (await treeCpuMs(backend)) - before
    for (const { id } of claimed) await endRun(db, id)
    await foldLiveRuns({ db })
    return tookMs / claimed.length
  },
})
