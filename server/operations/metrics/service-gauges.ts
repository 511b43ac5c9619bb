import { Counter, Gauge } from 'prom-client'
import type { CapacityPort } from '../../../agent/port/capacity.ts'
import { defaultFloorBytes } from '../../base/disk-floor.ts'
import type { Database } from '../../db/database.ts'
import { diskOf } from '../../storage/free-space.ts'
import { readServiceFigures } from './service-figures-store.ts'

const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
  new Gauge({ name: `sandbox_${name}`, help, labelNames })

/*
 * Numbers of the whole service, which the worker alone computes. A company has one of two classes: `active` has a run at work, and
 * `waiting` has none, so that its next run would start in a reserved slot. No label names a company.
 */
const runsQueued = gauge('runs_queued', 'Queued runs, by whether their company has a run at work.', 'company')
const oldestRun = gauge('oldest_queued_run_seconds', 'How long the oldest queued run has waited.', 'company')
const buildsQueued = gauge('builds_queued', 'Queued builds.')
const oldestBuild = gauge('oldest_queued_build_seconds', 'How long the oldest queued build has waited.')
const deliveriesWaiting = gauge(
  'deliveries_waiting',
  'Webhook posts and e-mails that wait, 100000 at most.',
  'kind',
)
const auditLag = gauge(
  'audit_lag_seconds',
  'Age of the oldest change that is not yet an entry of an audit log.',
)
const lockWaits = gauge('database_lock_waits', 'Locks of the database that somebody waits for.')
const dataFolder = gauge(
  'data_folder_bytes',
  'Size of the disk of the data folder, what is free, and the floor.',
  'bytes',
)
const agentUp = gauge('host_agent_up', 'Whether the host agent answers.')
const sandboxes = gauge('sandboxes', 'Sandboxes that run, and how many may.', 'count')
const warmStarts = new Counter({
  name: 'sandbox_warm_starts_total',
  help: 'Starts of sandboxes that found a warm one, and that did not, since the start of the host agent.',
  labelNames: ['result'],
})
const sandboxMemory = gauge('sandbox_memory_bytes', 'Memory limit of all sandboxes together.')

export interface ServiceGaugesDeps {
  db: Database
  executor: CapacityPort
  dataDir: string
  diskFloorBytes: number | undefined
}

/** Brings all gauges up to date. One that cannot be read has no value until it can. */
export async function refreshServiceGauges(deps: ServiceGaugesDeps): Promise<void> {
  await Promise.all([refreshHost(deps), refreshDisk(deps), refreshDatabase(deps)])
}

async function refreshDatabase({ db }: ServiceGaugesDeps): Promise<void> {
  const figures = await readServiceFigures(db)
  runsQueued.set({ company: 'active' }, figures.queued_beside_others)
  runsQueued.set({ company: 'waiting' }, figures.queued_alone)
  oldestRun.set({ company: 'active' }, figures.oldest_beside_others)
  oldestRun.set({ company: 'waiting' }, figures.oldest_alone)
  buildsQueued.set(figures.builds_queued)
  oldestBuild.set(figures.oldest_build)
  deliveriesWaiting.set({ kind: 'webhook' }, figures.webhooks_waiting)
  deliveriesWaiting.set({ kind: 'mail' }, figures.mails_waiting)
  auditLag.set(figures.audit_lag)
  lockWaits.set(figures.lock_waits)
}

async function refreshHost({ executor }: ServiceGaugesDeps): Promise<void> {
  const capacity = await executor.capacity().catch(() => undefined)
  agentUp.set(capacity ? 1 : 0)
  sandboxes.reset()
  sandboxMemory.remove()
  if (!capacity) return
  sandboxes.set({ count: 'running' }, capacity.running)
  sandboxes.set({ count: 'slots' }, capacity.slots)
  sandboxMemory.set(capacity.memoryBytes)
  // The host agent counts them: the counter takes over its numbers.
  warmStarts.reset()
  warmStarts.inc({ result: 'hit' }, capacity.warmStarts.hits)
  warmStarts.inc({ result: 'miss' }, capacity.warmStarts.misses)
}

async function refreshDisk({ dataDir, diskFloorBytes }: ServiceGaugesDeps): Promise<void> {
  const { totalBytes, freeBytes } = await diskOf(dataDir)
  dataFolder.set({ bytes: 'total' }, totalBytes)
  dataFolder.set({ bytes: 'free' }, freeBytes)
  dataFolder.set({ bytes: 'floor' }, diskFloorBytes ?? defaultFloorBytes(totalBytes))
}
