import { onBehalfOf } from '../base/current-request.ts'
import type { Database } from '../db/database.ts'
import { liveLogChannel } from '../live-logs/log-updates.ts'
import { listen } from '../work/listener.ts'
import { startSweep } from '../work/sweep.ts'
import { startTicker } from '../work/ticker.ts'
import { type Claims, Worker } from '../work/worker.ts'
import type { BuildSlots } from './attempts/build-limits.ts'
import { claimNextAttempt, releaseLeases, returnClaims } from './attempts/claims/claim-attempt-store.ts'
import type { AttemptRow } from './attempts/claims/claimed-attempt-store.ts'
import { buildsQueuedChannel } from './attempts/enqueue-build.ts'
import { buildLeaseMs, runBuild } from './chain/run-build.ts'
import { sweepBuilds } from './chain/sweep-builds.ts'
import { provisioningRequestedChannel, provisionWaiting } from './provision-waiting.ts'
import { ProvisioningSchedule } from './provisioning/provisioning-schedule.ts'
import { rematchFindings } from './reports/rematch-findings.ts'
import type { BuildTools } from './request/build.ts'

export interface BuildWorkerOptions {
  db: Database
  databaseUrl: string
  tools: BuildTools
  /** Slots and memory for builds. */
  share: BuildSlots
  /** Unique among workers, and the same after a restart. */
  name: string
}

export interface BuildWorker {
  /** Claims nothing more and releases running builds. Their sandboxes go on, and the next worker takes them over. */
  stop(): Promise<void>
}

const pollIntervalMs = 5000
const minuteMs = 60_000

/**
 * Starts the worker that runs queued builds, provisions built versions again on request, and matches the packages of images with
 * new vulnerabilities: a large image takes seconds, for which runs would wait elsewhere.
 */
export async function startBuildWorker(options: BuildWorkerOptions): Promise<BuildWorker> {
  const { db, databaseUrl, tools, share, name } = options
  const { log, liveLogs } = tools
  const builds = new Worker({
    name: 'builds',
    slots: share.slots,
    claims: claimsOf(options),
    perform: (attempt, { stopping }) =>
      onBehalfOf(attempt.company_id, () => runBuild(db, tools, attempt, stopping)),
    pollIntervalMs,
    recoverIntervalMs: minuteMs,
    log,
  })
  await builds.start()
  const schedule = new ProvisioningSchedule()
  const provisioning = startTicker({
    name: 'provisioning',
    intervalMs: pollIntervalMs,
    tick: (signal) => provisionWaiting(db, tools, { signal, turns: schedule }),
    log,
  })
  const sweeps = [
    startSweep({ name: 'builds', everyMs: minuteMs, runOnce: () => sweepBuilds(db, tools), log }),
    startSweep({
      name: 'vulnerabilities',
      everyMs: minuteMs,
      runOnce: (signal) => rematchFindings({ db, storage: tools.storage, log, signal }),
      log,
    }),
  ]
  const listener = listen({
    url: databaseUrl,
    channels: [buildsQueuedChannel, provisioningRequestedChannel, liveLogChannel],
    onNotification: (channel, payload) => {
      if (channel === liveLogChannel) liveLogs.onRequested(payload)
      else if (channel === provisioningRequestedChannel) provisioning.wake()
      else builds.notify()
    },
    onListening: () => {
      provisioning.wake()
      builds.notify()
    },
    log,
  })
  return {
    stop: async () => {
      await Promise.all([builds, provisioning, ...sweeps, listener].map((part) => part.stop()))
      await returnClaims(db, name).catch((error: unknown) => {
        log.warn({ error: String(error) }, 'cannot release the claims of builds')
      })
    },
  }
}

/** A lease is renewed while the build runs, so the next claim takes an attempt whose lease expired. */
const claimsOf = ({ db, share, name: worker }: BuildWorkerOptions): Claims<AttemptRow> => ({
  next: async () => {
    const attempt = await claimNextAttempt(db, { worker, leaseMs: buildLeaseMs, share })
    return attempt && { works: [attempt], isLast: false }
  },
  takeBack: async (active) => {
    await releaseLeases(db, worker, active)
    return []
  },
})
