import { SandboxUnknown } from '../../../agent/port/errors.ts'
import type { ImagePort } from '../../../agent/port/images.ts'
import type { ResultPort } from '../../../agent/port/results.ts'
import type { SandboxPort } from '../../../agent/port/sandboxes.ts'
import type { Clock, sleep } from '../../base/clock.ts'
import { onBehalfOf } from '../../base/current-request.ts'
import type { Log } from '../../base/logging.ts'
import type { RunCapacity } from '../../capacity/run-capacity.ts'
import { StartPace } from '../../fairness/start-pace.ts'
import { LogSources } from '../../live-logs/log-sources.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { Driver } from '../../work/heartbeat-statement.ts'
import { startSweep } from '../../work/sweep.ts'
import { type Claims, Worker } from '../../work/worker.ts'
import type { ClaimedRun, TakenOverRun } from '../model/claimed-run.ts'
import { queueWait } from '../model/run-metrics.ts'
import type { PartTools } from '../parts/run-parts.ts'
import { type ImageSource, PlacedImages } from '../prepare/placed-images.ts'
import { ResultQueue } from '../results/result-pace.ts'
import type { DriveDeps } from './drive.ts'
import { driveRun, progressOf } from './drive-run.ts'
import type { Progress } from './progress.ts'
import { describe } from './retry-policies.ts'
import type { RunQueue } from './run-queue.ts'
import { sweepSandboxes } from './sweep-sandboxes.ts'

export interface RunWorkerOptions extends PartTools {
  runs: RunQueue
  executor: SandboxPort & ResultPort & ImagePort
  storage: ObjectStorage
  images: ImageSource
  log: Log
  /** The executor, and the name of this worker. Runs of the executor whose worker is gone are taken over. */
  driver: Driver
  /** A host's memory is shared by its runs, so they are claimed one by one. A cluster's is not, and they are claimed in batches. */
  kind?: 'host' | 'kubernetes'
  /** While it returns true, nothing is claimed. */
  isDraining?: (() => boolean) | undefined
  /** Runs at once, and how companies share them. */
  capacity: RunCapacity
  companyConcurrency: number
  /** How long the processes of a run may go on after they were asked to end. Absent or 0: they are killed at once. */
  stopGraceMs?: number | undefined
  /** Bytes that a run may send. Absent: no run has a network. */
  egressCapBytes?: number | undefined
  /** Interval between polls without a notification. */
  pollIntervalMs?: number
  /** Both replace the machine's clock in simulations. */
  clock?: Clock
  pause?: typeof sleep
}

export interface RunWorker {
  /** Ids of its active runs. */
  active(): string[]
  /** Stops claiming and releases its runs. Their sandboxes continue, and the next worker of the executor takes the runs over. */
  stop(): Promise<void>
}

const pollIntervalMsDefault = 5000
/** Polls between two searches for expired leases and for sandboxes to remove. */
const pollsPerRecovery = 6

/** Executes queued runs in turn. Resolves once it has taken over the runs of earlier workers of its executor. */
export async function startRunWorker(options: RunWorkerOptions): Promise<RunWorker> {
  const { runs, executor, capacity, log, pause } = options
  const { pollIntervalMs = pollIntervalMsDefault } = options
  const recoverIntervalMs = pollsPerRecovery * pollIntervalMs
  const logs = new LogSources({ ...options, write: runs.writeLiveLog })
  const deps: DriveDeps = {
    ...options,
    images: new PlacedImages(executor, options.images),
    resultQueue: new ResultQueue(),
    startPace: new StartPace(options),
  }
  const sandboxes = new Map<string, string>()
  const worker = new Worker<ActiveRun>({
    name: 'runs',
    slots: capacity.slots,
    claims: claimsOf(options),
    perform: (held, signals) => {
      const { sandboxId, companyId } = held.run
      const withdrawLog = logs.register(held.id, sandboxId)
      sandboxes.set(held.id, sandboxId)
      return onBehalfOf(companyId, () => driveRun(deps, held, signals)).finally(() => {
        withdrawLog()
        if (sandboxes.get(held.id) === sandboxId) sandboxes.delete(held.id)
      })
    },
    pollIntervalMs,
    recoverIntervalMs,
    log,
    describe,
    pause,
  })
  await worker.start()
  const sweep = startSweep({
    name: 'sandboxes of runs',
    everyMs: recoverIntervalMs,
    runOnce: async () => ({ removed: await sweepSandboxes(runs, executor) }),
    log,
    pause,
  })
  const listener = runs.listen({
    queued: () => worker.notify(),
    cancelled: (id) => worker.cancel(id),
    killed: (id) => void killSandbox(executor, sandboxes.get(id), log),
    logRequested: (id) => logs.onRequested(id),
  })
  return {
    active: () => worker.active,
    stop: async () => {
      logs.stop()
      await Promise.all([worker, sweep, listener].map((part) => part.stop()))
    },
  }
}

/** Kills the sandbox of a run that was cancelled before. If this fails, it ends when its time to end is over. */
async function killSandbox(executor: SandboxPort, id: string | undefined, log: Log): Promise<void> {
  if (id === undefined) return
  await executor.stop(id).catch((error: unknown) => {
    if (!(error instanceof SandboxUnknown)) log.warn({ error: describe(error) }, 'sandbox not killed yet')
  })
}

/** A run and the step at which the worker starts or resumes it. */
interface ActiveRun {
  id: string
  run: ClaimedRun
  from: Progress
}

/** A lease is longer than anything its holder may do, so it is not renewed while a run executes. */
function claimsOf({
  runs,
  driver,
  kind = 'host',
  isDraining,
  capacity,
  companyConcurrency,
}: RunWorkerOptions): Claims<ActiveRun> {
  const taken = (run: TakenOverRun) => ({ id: run.id, run, from: progressOf(run) })
  const options = { ...driver, companyConcurrency, capacity }
  const claim = async (free: number) => {
    if (kind === 'kubernetes') return runs.claimBatch(options, free)
    const run = await runs.claimNext(options)
    return run ? [run] : []
  }
  return {
    next: async (free) => {
      const claimed = isDraining?.() ? [] : await claim(free)
      for (const { fence, isCompanyBusy, waitedMs } of claimed)
        if (fence === 1) queueWait.observe({ company: isCompanyBusy ? 'active' : 'waiting' }, waitedMs / 1000)
      const last = claimed.at(-1)
      const works = claimed.map((run): ActiveRun => ({ id: run.id, run, from: { at: 'claimed' } }))
      return last && { works, isLast: last.isLast }
    },
    takeExpired: async () => (await runs.takeOver(driver, 'expired')).map(taken),
    takeBack: async (active) => (await runs.takeOver(driver, 'own', active)).map(taken),
    cancelRequested: (active) => runs.cancelRequestedAmong(active),
  }
}
