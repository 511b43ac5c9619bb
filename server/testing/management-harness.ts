import { randomBytes } from 'node:crypto'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/logging.ts'
import { PageTokens } from '../base/page.ts'
import type { Database } from '../db/database.ts'
import { createApp } from '../http/app.ts'
import { mounter } from '../http/mount.ts'
import { mountBindingRoutes } from '../http/routes/bindings.ts'
import { mountChatroomJobsRoutes } from '../http/routes/chatroom-jobs.ts'
import { mountManagementRoutes } from '../http/routes/management.ts'
import { mountSettingsRoutes } from '../http/routes/settings.ts'
import { mountTaskHistoryRoutes } from '../http/routes/task-history.ts'
import { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { queuePolicy } from '../runs/queue-policy.ts'
import { RunLookup } from '../runs/run-lookup.ts'
import { runPlaces } from '../runs/run-places.ts'

export interface ManagementCall {
  params?: Record<string, string>
  query?: Record<string, string | string[]>
  body?: unknown
}

/** The routes of settings, bindings and lists that span rooms, called as whoever a test names. */
export class ManagementHarness {
  readonly #app = createApp(createLog('test', 'silent'))

  constructor(
    db: Database,
    options: { deployment?: 'onprem' | 'hosted'; enabled?: boolean; runtimeEgress?: boolean } = {},
  ) {
    const { deployment = 'onprem', enabled = true, runtimeEgress = true } = options
    const authenticate = async (headers: Record<string, unknown>) =>
      JSON.parse(String(headers['x-test-principal'])) as Principal
    const mount = mounter(this.#app, { authenticate, enabled })
    const directory = new Directory(db)
    const pages = new PageTokens(randomBytes(32))
    const policy = queuePolicy(deployment, runPlaces({ slots: 16 }))
    const clock = systemClock
    const tasks = { db, directory, pages, clock, cancelQueuedRunsOfTask: async () => undefined }
    mountSettingsRoutes(mount, { db, clock, deployment, runtimeEgress })
    mountBindingRoutes(mount, tasks)
    mountTaskHistoryRoutes(mount, { db })
    mountChatroomJobsRoutes(mount, { db, directory, clock })
    mountManagementRoutes(mount, {
      tasks,
      runs: { db, directory, runs: new RunLookup(db, policy), policy, pages },
    })
  }

  async call<Body = Record<string, unknown>>(
    route: Route,
    principal: Principal,
    call: ManagementCall = {},
  ): Promise<{ status: number; body: Body & { detail?: unknown } }> {
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => call.params?.[name] ?? '')
    const response = await this.#app.inject({
      method: route.method,
      url,
      query: call.query ?? {},
      headers: {
        'x-test-principal': JSON.stringify(principal),
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(call.body !== undefined && { payload: JSON.stringify(call.body) }),
    })
    return { status: response.statusCode, body: response.json() as Body & { detail?: unknown } }
  }
}
