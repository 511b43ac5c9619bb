import type { Log } from '../../base/logging.ts'
import { reserveStorage } from '../../companies/storage/storage-reservations.ts'
import type { Database } from '../../db/database.ts'
import { liveLogChannel } from '../../live-logs/log-updates.ts'
import { type LiveLogWriter, liveLogWriter } from '../../live-logs/stream-live-log.ts'
import type { Driver } from '../../work/heartbeat-statement.ts'
import { type Listener, listen } from '../../work/listener.ts'
import type { ClaimedRun, ClaimStatus, NextRun, TakenOverRun } from '../model/claimed-run.ts'
import { cancelChannel, killChannel, queuedChannel } from '../model/run-store.ts'
import { findJob, type RunJob } from '../prepare/job-store.ts'
import { claimBatch } from '../queue/claim-batch-store.ts'
import {
  type ClaimOptions,
  cancelRequestedAmong,
  claimNext,
  finishedAmong,
  takeOver,
} from '../queue/claim-store.ts'
import { markRunning, requeue } from '../queue/claimed-run-store.ts'
import { finishRun, type RunEnd } from './finish-run.ts'

/**
 * Everything that a worker needs from the database. Each call is one transaction: it is done or not done, whether or not
 * its response arrives. It is a port so that the simulation can run the worker's code through every order of events
 * without a database (`proofs/simulation`).
 */
export interface RunQueue {
  claimNext(options: ClaimOptions): Promise<NextRun | undefined>
  /** For an executor that sets no bound on memory. Claims at most `most` runs. */
  claimBatch(options: ClaimOptions, most: number): Promise<NextRun[]>
  takeOver(driver: Driver, owned: 'own' | 'expired', known?: readonly string[]): Promise<TakenOverRun[]>
  cancelRequestedAmong(ids: readonly string[]): Promise<string[]>
  finishedAmong(sandboxIds: readonly string[]): Promise<string[]>
  findJob(run: ClaimedRun): Promise<RunJob | undefined>
  markRunning(run: ClaimedRun): Promise<ClaimStatus>
  requeue(run: ClaimedRun): Promise<ClaimStatus>
  finish(run: ClaimedRun, end: RunEnd): Promise<boolean>
  /** Reserves quota for the results of a run until it has ended; false: there is no room. */
  reserveStorage(run: ClaimedRun, bytes: number): Promise<boolean>
  writeLiveLog: LiveLogWriter
  listen(notify: QueueNotifications): Listener
}

/** Notifications for a worker. Any of them may be lost. */
export interface QueueNotifications {
  /** A run may have been queued. */
  queued(): void
  cancelled(runId: string): void
  /** A cancelled run is to end at once. */
  killed(runId: string): void
  /** A client follows the run's log. */
  logRequested(runId: string): void
}

export function postgresRunQueue(db: Database, databaseUrl: string, log: Log): RunQueue {
  return {
    claimNext: (options) => claimNext(db, options),
    claimBatch: (options, most) => claimBatch(db, options, most),
    takeOver: (driver, owned, known) => takeOver(db, driver, owned, known),
    cancelRequestedAmong: (ids) => cancelRequestedAmong(db, ids),
    finishedAmong: (sandboxIds) => finishedAmong(db, sandboxIds),
    findJob: (run) => findJob(db, run),
    markRunning: (run) => markRunning(db, run),
    requeue: (run) => requeue(db, run),
    finish: (run, end) => finishRun(db, run, end),
    reserveStorage: (run, bytes) => reserveStorage(db, run, bytes),
    writeLiveLog: liveLogWriter(db),
    listen: (notify) =>
      listen({
        url: databaseUrl,
        channels: [queuedChannel, cancelChannel, killChannel, liveLogChannel],
        onNotification: (channel, payload) => {
          if (channel === cancelChannel) notify.cancelled(payload)
          else if (channel === killChannel) notify.killed(payload)
          else if (channel === liveLogChannel) notify.logRequested(payload)
          else notify.queued()
        },
        onListening: () => notify.queued(),
        log,
      }),
  }
}
