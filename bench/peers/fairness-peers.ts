import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, rounded } from '../harness/measure/percentile.ts'
import { LineProcess } from '../harness/sandbox/line-process.ts'
import { startDatabase } from '../harness/service/own-database.ts'
import { ensureNpmPackage } from './npm-package.ts'

interface QueuePeer {
  name: 'graphile-worker' | 'pg-boss'
  version: string
  /** Its protection against a tenant that uses everything. */
  note: string
}

const peers: QueuePeer[] = [
  {
    name: 'graphile-worker',
    version: '0.18.0',
    note: 'graphile-worker has no tenants: jobs of one priority start in the order in which they were queued',
  },
  {
    name: 'pg-boss',
    version: '12.38.0',
    note: 'pg-boss has notifications on, polls every 0.5 s, its minimum, and bounds the running jobs of a tenant as ours does',
  },
]

export interface QueueLoad {
  places: number
  /** The most of these slots that one tenant may use, for a peer with such a bound. */
  bound: number
  jobMs: number
  /** Jobs of the busy tenant. */
  queued: number
  rounds: number
  restMs: number
}

export interface QueueWaits {
  name: string
  /** Milliseconds until a job of the waiting tenant started, next to the busy one's queue. */
  samplesMs: number[]
  notes: string[]
}

const warmups = 3
const idleRounds = 10
/** A longer wait counts as this long, and is the last one. */
const waitLimitMs = 30_000

/** Wait of one tenant in other queues on Postgres, each with a separate database, every write synced. */
export async function queueWaits(load: QueueLoad, say: (line: string) => void): Promise<QueueWaits[]> {
  const waits: QueueWaits[] = []
  for (const peer of peers) {
    say(`fairness: ${peer.name} with ${load.queued} jobs`)
    waits.push(await waitsOf(peer, load))
  }
  return waits
}

async function waitsOf({ name, version, note }: QueuePeer, load: QueueLoad): Promise<QueueWaits> {
  const entry = await ensureNpmPackage(name, version)
  const database = await startDatabase(1)
  try {
    const script = new URL('./tenant-queue.ts', import.meta.url).pathname
    const settings = [load.places, load.bound, load.jobMs].map(String)
    const queue = await LineProcess.start([process.execPath, script, name, entry, database.url, ...settings])
    try {
      await severalWaits(queue, warmups, load.restMs)
      const idle = await severalWaits(queue, idleRounds, load.restMs)
      await queue.ask(`fill ${load.queued}`)
      const samplesMs = await severalWaits(queue, load.rounds, load.restMs)
      const started = await queue.ask('started')
      const idleMs = rounded(percentile(idle, 0.5))
      const summary = `${note}; its median wait in an idle queue is ${idleMs} ms; ${started} of the busy tenant's jobs had started at the end`
      const isCutOff = samplesMs.includes(waitLimitMs)
      const bounded = `a wait of ${name} was stopped after ${waitLimitMs / 1000} s, and counts as one of that length`
      return { name: `${name} ${version}`, samplesMs, notes: isCutOff ? [summary, bounded] : [summary] }
    } finally {
      await queue.close()
    }
  } finally {
    await database.stop()
  }
}

async function severalWaits(queue: LineProcess, rounds: number, restMs: number): Promise<number[]> {
  const waitsMs: number[] = []
  while (waitsMs.length < rounds && !waitsMs.includes(waitLimitMs)) {
    waitsMs.push(Number(await queue.ask(`wait ${waitLimitMs}`)))
    await sleep(restMs)
  }
  return waitsMs
}
