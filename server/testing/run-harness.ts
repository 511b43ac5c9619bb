import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/logging.ts'
import { PageTokens } from '../base/page.ts'
import type { Database } from '../db/database.ts'
import { createApp } from '../http/app.ts'
import { mounter } from '../http/mount.ts'
import { mountPublicDownloadRoute } from '../http/routes/public-download.ts'
import { mountPublicLinkRoutes } from '../http/routes/public-links.ts'
import { mountRunLogRoutes } from '../http/routes/run-logs.ts'
import { mountRunRoutes } from '../http/routes/runs.ts'
import { LogFollowers } from '../live-logs/log-followers.ts'
import { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { type QueuePolicy, queuePolicy } from '../runs/queue-policy.ts'
import { RunLookup } from '../runs/run-lookup.ts'
import { runPlaces } from '../runs/run-places.ts'
import { RunReadings } from '../runs/run-readings.ts'
import { SubmissionQueue } from '../runs/submission-queue.ts'
import { DiskStorage } from '../storage/disk.ts'
import { Runnables, validateInput } from '../tasks/runnable.ts'
import { silentLogNews } from './silent-log-news.ts'

export interface RunCall {
  params?: Record<string, string>
  query?: Record<string, string | string[]>
  headers?: Record<string, string>
  body?: unknown
  /** Sent as it is, in place of `body`. */
  payload?: string
}

/** The routes of runs over HTTP, called as whoever a test names. */
export class RunHarness {
  readonly storage: DiskStorage
  /** What is stored lies here. */
  readonly folder = mkdtempSync(join(tmpdir(), 'sandbox-test-runs-'))
  readonly policy: QueuePolicy
  readonly #app = createApp(createLog('test', 'silent'))

  constructor(db: Database, policy: QueuePolicy = queuePolicy('onprem', runPlaces({ slots: 16 }))) {
    this.policy = policy
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }))
    this.storage = new DiskStorage(this.folder)
    const services = {
      db,
      directory: new Directory(db),
      runs: new RunLookup(db, policy),
      readings: new RunReadings(db),
      runnables: new Runnables(db),
      queue: new SubmissionQueue(db, policy),
      policy: this.policy,
      pages: new PageTokens(randomBytes(32)),
      validateInput,
      capabilityKey: randomBytes(32),
      linkKey: randomBytes(32),
      baseUrl: 'http://127.0.0.1:1',
      clock: systemClock,
      storage: this.storage,
      followers: new LogFollowers(db, silentLogNews),
    }
    const authenticate = async (headers: Record<string, unknown>) =>
      JSON.parse(String(headers['x-test-principal'])) as Principal
    const mount = mounter(this.#app, { authenticate, enabled: true })
    mountRunRoutes(mount, services)
    mountRunLogRoutes(mount, services)
    mountPublicLinkRoutes(mount, services)
    mountPublicDownloadRoute(mount, services)
  }

  call(route: Route, principal: Principal | null, call: RunCall = {}): Promise<LightMyRequestResponse> {
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => call.params?.[name] ?? '')
    const payload = call.payload ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
    return this.#app.inject({
      method: route.method,
      url,
      query: call.query ?? {},
      headers: {
        ...(principal && { 'x-test-principal': JSON.stringify(principal) }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(payload !== undefined && { payload }),
    })
  }
}
