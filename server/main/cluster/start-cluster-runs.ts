import { type RunCapacity, runCapacity } from '../../capacity/run-capacity.ts'
import { type RunWorker, type RunWorkerOptions, startRunWorker } from '../../runs/drive/run-worker.ts'
import type { ExecutorLease } from '../../work/executor-lease.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { type ClusterParts, startCluster } from './start-cluster.ts'

export interface ClusterRunsParts extends ClusterParts {
  /** Everything that runs have on every executor. */
  common: Omit<RunWorkerOptions, 'executor' | 'driver' | 'capacity' | 'isDraining'>
  /** Takes the lease of the executor with this id. */
  lease: (executorId: string, capacity: RunCapacity) => Promise<ExecutorLease>
}

/** Claims runs for a cluster. Its memory is not counted: what does not fit waits for a node. */
export async function startClusterRuns(
  setUp: ClusterSettings,
  { common, lease: leaseOf, ...parts }: ClusterRunsParts,
): Promise<RunWorker> {
  const { runSlots: slots, reservedRunSlots: reserved } = parts.config
  const capacity = runCapacity({ slots, reserved })
  const lease = await leaseOf(setUp.executorId, capacity)
  const cluster = await startCluster(setUp, parts)
  const runs = await startRunWorker({
    ...{ ...common, kind: 'kubernetes', executor: cluster.executor, capacity, isDraining: lease.isDraining },
    driver: { executor: setUp.executorId, worker: lease.worker },
  })
  return {
    active: () => runs.active(),
    stop: async () => {
      await runs.stop()
      await cluster.stop()
      await lease.release()
    },
  }
}
