import { readFile } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import { defaultFloorBytes } from '../../../base/disk-floor.ts'
import { readFleet } from '../../../capacity/fleet-capacity-store.ts'
import { configuredCapacity, memoryOfRun } from '../../../capacity/run-capacity.ts'
import { readServiceFigures, type ServiceFigures } from '../../../operations/metrics/service-figures-store.ts'
import {
  countActiveBuilds,
  countActiveRuns,
  listCompanyWork,
  listRunsThat,
} from '../../../operations/top/live-work-store.ts'
import { diskOf } from '../../../storage/free-space.ts'
import { presenceOn } from '../../../work/executor-lease.ts'
import type { LocalService } from '../local-service.ts'

const companiesMax = 20
const runsMax = 20
const mib = 1024 ** 2

/** The work and the queues of all executors, and the use of this machine now, without what the host agent alone knows. Sizes are in bytes, times in seconds. */
export interface MachineOverview
  extends Omit<
    OperatorState,
    'at' | 'version' | 'enabled' | 'stopped_since' | 'sign_in' | 'waiting' | 'storage'
  > {
  at: Date
  waiting: ServiceFigures
}

export async function machineOverview({
  db,
  config,
  clock,
}: Pick<LocalService, 'db' | 'config' | 'clock'>): Promise<MachineOverview> {
  const waiting = await readServiceFigures(db)
  const [companies, runs, byProfile] = [
    await listCompanyWork(db, companiesMax),
    await listRunsThat(db, 'areAtWork', { limit: runsMax }),
    await countActiveRuns(db),
  ]
  const presence = await presenceOn(db)
  const { executors, capacity } = await readFleet(db, configuredCapacity(config))
  const memoryMib = byProfile.reduce(
    (sum, { profile, runs: count }) => sum + count * memoryOfRun(capacity, profile),
    0,
  )
  const disk = await diskOf(config.dataDir)
  return {
    at: clock.now(),
    worker: presence.hasWorker,
    host_agent: presence.hostAgent,
    run_slots: { used: byProfile.reduce((sum, { runs: count }) => sum + count, 0), total: capacity.slots },
    build_slots: { used: await countActiveBuilds(db), total: executors * config.buildSlots },
    sandbox_memory: { used: memoryMib * mib, total: capacity.memoryMib * mib },
    machine: await machineOf(),
    disk: {
      free: disk.freeBytes,
      total: disk.totalBytes,
      floor: config.diskFloorBytes ?? defaultFloorBytes(disk.totalBytes),
    },
    waiting,
    companies,
    runs,
  }
}

async function machineOf(): Promise<MachineOverview['machine']> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const bytesOf = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  const [load = 0] = loadavg()
  return {
    processors: availableParallelism(),
    load,
    memory_available: bytesOf('MemAvailable'),
    memory_total: bytesOf('MemTotal'),
  }
}
