import type { Log } from '../base/logging.ts'
import type { Database } from '../db/database.ts'
import { type LiveLogWriter, liveLogWriter } from '../live-logs/live-log-writer.ts'
import { liveLogChannel } from '../live-logs/log-offers.ts'
import { type Listener, listen } from '../queue/listener.ts'
import { roomLeft } from '../settings/storage-quota.ts'
import {
  type ClaimedRun,
  type ClaimOptions,
  cancelRequestedAmong,
  claimNext,
  finishedAmong,
  type NextRun,
  type TakenRun,
  takeOver,
} from './claim-store.ts'
import { markRunning, requeue, type Standing } from './claimed-run-store.ts'
import { finishRun, type RunEnd } from './finish-run.ts'
import { findJob, type RunJob } from './job-store.ts'
import { cancelChannel, queuedChannel } from './run-store.ts'

/**
 * All that a worker asks of the database. Each call is one transaction: done or not done, whether its answer arrives or
 * not. A port, so that the worker's own code can be driven through every order of events without a database
 * (`server/simulation`).
 */
export interface RunQueue {
  claimNext(options: ClaimOptions): Promise<NextRun | undefined>
  takeOver(worker: string, owned: 'own' | 'expired', known?: readonly string[]): Promise<TakenRun[]>
  cancelRequestedAmong(ids: readonly string[]): Promise<string[]>
  finishedAmong(sandboxIds: readonly string[]): Promise<string[]>
  findJob(run: ClaimedRun): Promise<RunJob | undefined>
  markRunning(run: ClaimedRun): Promise<Standing>
  requeue(run: ClaimedRun): Promise<Standing>
  finish(run: ClaimedRun, end: RunEnd): Promise<boolean>
  /** Bytes that a company may keep beyond what it keeps; null: without bound. */
  roomOf(companyId: string): Promise<number | null>
  writeLiveLog: LiveLogWriter
  listen(news: QueueNews): Listener
}

/** What a worker is told without asking; whatever is told may be lost. */
export interface QueueNews {
  /** A run may have been queued. */
  look(): void
  cancelled(runId: string): void
  /** Somebody follows the run's log. */
  logWanted(runId: string): void
}

export function postgresRunQueue(db: Database, databaseUrl: string, log: Log): RunQueue {
  return {
    claimNext: (options) => claimNext(db, options),
    takeOver: (worker, owned, known) => takeOver(db, worker, owned, known),
    cancelRequestedAmong: (ids) => cancelRequestedAmong(db, ids),
    finishedAmong: (sandboxIds) => finishedAmong(db, sandboxIds),
    findJob: (run) => findJob(db, run),
    markRunning: (run) => markRunning(db, run),
    requeue: (run) => requeue(db, run),
    finish: (run, end) => finishRun(db, run, end),
    roomOf: (companyId) => roomLeft(db, companyId),
    writeLiveLog: liveLogWriter(db),
    listen: (news) =>
      listen({
        url: databaseUrl,
        channels: [queuedChannel, cancelChannel, liveLogChannel],
        onMessage: (channel, payload) => {
          if (channel === cancelChannel) news.cancelled(payload)
          else if (channel === liveLogChannel) news.logWanted(payload)
          else news.look()
        },
        onListening: () => news.look(),
        log,
      }),
  }
}
