import { join } from 'node:path'
import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config/config.ts'
import { outsideRequests } from '../base/current-request.ts'
import type { Log } from '../base/logging.ts'
import { listLargestCompanies } from '../companies/storage/kept-bytes-store.ts'
import type { Database } from '../db/database.ts'
import { createApp } from '../http/app.ts'
import { boundConnections, connectionBoundsFor } from '../http/bounds/connection-bounds.ts'
import { mountOperatorConsole } from '../http/console/console.ts'
import { mountOperatorRoutes } from '../http/operator/operator-routes.ts'
import { heldAnswer } from '../operations/held-answer.ts'
import { stoppedSince } from '../operations/kill-switch/kill-switch.ts'
import manifest from '../package.json' with { type: 'json' }
import { machineOverview } from './operator/watch/machine-overview.ts'

interface OperatorParts {
  db: Database
  log: Log
  clock: Clock
  config: Config
  /** Address and port of the listener. */
  listen: string
  /** Folder of the packed programs, with the built console. */
  packedFolder: string | undefined
}

/** A few browsers; each has at most six connections. */
const connectionsMax = 64
const companiesMax = 20
/** One answer serves all requests while it is made and for this time after, so any number of pages costs the database as much as one. */
const readEveryMs = 1000

/** The operator console: its page and its routes, and no route of tenants. */
export function createOperatorApp({ listen, packedFolder, ...parts }: OperatorParts): FastifyInstance {
  const { db, log, clock, config } = parts
  const app = createApp(log, { isForOwnPages: true })
  boundConnections(app, { ...connectionBoundsFor([]), connections: connectionsMax })
  const consoleUrl = `http://${listen}/operator/`
  const readState = heldAnswer(readEveryMs, () => outsideRequests(() => stateOf(parts)))
  mountOperatorRoutes(app, { db, log, clock, config, consoleUrl, readState })
  mountOperatorConsole(app, packedFolder && join(packedFolder, 'console'))
  return app
}

async function stateOf(parts: Pick<OperatorParts, 'db' | 'config' | 'clock'>) {
  const { at, waiting, ...overview } = await machineOverview(parts)
  const stopped = await stoppedSince(parts.db)
  return {
    ...overview,
    at: at.toISOString(),
    version: manifest.version,
    enabled: parts.config.enabled,
    stopped_since: stopped?.toISOString() ?? null,
    waiting: {
      runs: waiting.queued_alone + waiting.queued_beside_others,
      oldest_run: Math.max(waiting.oldest_alone, waiting.oldest_beside_others),
      builds: waiting.builds_queued,
      oldest_build: waiting.oldest_build,
      webhooks: waiting.webhooks_waiting,
      mails: waiting.mails_waiting,
      audit_lag: waiting.audit_lag,
      lock_waits: waiting.lock_waits,
    },
    storage: await listLargestCompanies(parts.db, companiesMax),
  } satisfies Omit<OperatorState, 'sign_in'>
}
